// Node: the attempts of Tasks that ended on one node.
import {useAnswer} from './answer.js'
import {get} from './api.js'
import {html, useMemo} from './html.js'
import {Lanes} from './lanes.js'
import {isFailure, Legend} from './outcome.js'
import {Entry, href, Since, sinceTime, Switch, useChoices} from './route.js'
import {Rows, useRows} from './tasks.js'
import {count, percent, plural, Text} from './text.js'
import {barOf} from './timeline.js'

export function Node({name, query}) {
	const [, choose] = useChoices()
	const set = name => value => choose({[name]: value})
	const answer = useRows(['tasks'], {node: name, namespace: query.namespace, since: sinceTime(query.since), failed: query.failed}, {most: 5000})
	const compared = useAnswer(`node ${name} ${query.namespace ?? ''} ${query.since ?? ''}`, async ({signal}) =>
		(await get(['failures'], {by: 'node', namespace: query.namespace, since: sinceTime(query.since)}, {signal})).rows.find(r => r.group === name) ?? null)
	return html`<header class="heading"><h1><a class="within" href=${href(['failures'], {namespace: query.namespace, since: query.since})}>Nodes</a> / <${Text} of=${name} most=${253}/></h1>
			${answer.data && html`<p class="lead"><${Lead} of=${answer.data}/>${compared.data?.baseAttempts > 0 && ` ${comparison(compared.data)}`}</p>`}</header>
		<form class="filters" onSubmit=${e => e.preventDefault()} aria-label="Filters"><${Switch} label="Failures only" on=${query.failed} onChange=${set('failed')}/>
			<${Entry} label="Namespace" value=${query.namespace} placeholder="all" onChange=${set('namespace')}/><${Since} value=${query.since} onChange=${set('since')}/><${Legend}/></form>
		${answer.data?.items.length > 0 && html`<${Drawn} items=${answer.data.items}/>`}
		<${Rows} answer=${answer} label="Attempts on this node" empty=${html`<h2>Nothing ended on this node</h2><p>No attempt of a Task in this time range ran here, in the namespaces that you see.</p>`}/>`
}

const comparison = r => `Attempts fail ${r.lift.toLocaleString(undefined, {maximumFractionDigits: 1})} times as often here as on other nodes: ${percent(r.rate)} in place of ${percent(r.baseRate)}.`

function Lead({of}) {
	const failed = of.items.filter(t => isFailure(t.completion)), frameworks = new Set(failed.map(t => t.frameworkUID))
	return `${plural(of.items.length, 'attempt')} of Tasks ended here${of.whole ? '' : ', the newest'}. ${failed.length ? `${count(failed.length)} of them failed by themselves, in ${plural(frameworks.size, 'Framework')}.` : 'None of them failed by itself.'}`
}

// Drawn has a lane for each Task. The Task that ended last comes first.
function Drawn({items}) {
	const lanes = useMemo(() => {
		const tasks = new Map()
		for (const t of items) {
			const of = {namespace: t.namespace, name: t.framework, uid: t.frameworkUID}, key = `${t.frameworkUID} ${t.role} ${t.index}`
			const l = tasks.get(key) ?? tasks.set(key, {label: `${t.framework} ${t.role}-${t.index}`, bars: []}).get(key)
			l.bars.push(barOf(of, t))
		}
		return [...tasks.values()]
	}, [items])
	return html`<${Lanes} lanes=${lanes} label="What ended on this node"/>`
}
