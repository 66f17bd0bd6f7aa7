// List: what ran and runs.
import {Empty, followChanges, Shown, useAnswer} from './answer.js'
import {each, get} from './api.js'
import {Lost} from './framework.js'
import {html, useRef, useState} from './html.js'
import {useLive} from './live.js'
import {classOf, Outcome, State} from './outcome.js'
import {Choice, Entry, href, Since, sinceTime, Switch, toFramework, useChoices} from './route.js'
import {between, count, duration, Duration, ms, plain, Text, Time} from './text.js'

export function List({query}) {
	const [, choose] = useChoices()
	const [most, setMost] = useState(100)
	const user = useAnswer('user', ({signal}) => get(['user'], {}, {signal}))
	const own = user.data?.labelSelector
	const selector = [query.labels, query.mine && own].filter(Boolean).join(',')
	const asked = {namespace: query.namespace, name: query.name, state: query.state, code: query.code, node: query.node,
		labelSelector: selector, failed: query.failed, since: sinceTime(query.since), until: query.until}
	const waits = query.mine && user.loading
	// Where nothing announces a change, a list without Frameworks that run is read less often.
	const running = useRef(true)
	const answer = useAnswer(waits ? '' : JSON.stringify([asked, most]), async ({signal}) => {
		if (waits) return
		let found
		await each(['frameworks'], {...asked, details: 'true'}, {most, signal, onPage: (items, whole) => { found = {items, whole} }})
		running.current = found.items.some(f => !f.completed && f.state !== 'Deleted')
		return found
	}, {follow: followChanges({namespace: query.namespace}, () => running.current ? 15_000 : 60_000)})
	const live = useLive(query.namespace)
	const set = name => value => choose({[name]: value})
	const shown = answer.data && live.merged(answer.data.items, asked)
	return html`<h1 class="unseen">Frameworks</h1>
		<form class="filters" onSubmit=${e => e.preventDefault()} aria-label="Filters">
			<${Switch} label="Failures only" on=${query.failed} onChange=${set('failed')}/>
			${own && html`<${Switch} label="Mine" title=${own} on=${query.mine} onChange=${set('mine')}/>`}
			<${Entry} label="Namespace" value=${query.namespace} placeholder="all" onChange=${set('namespace')}/>
			<${Entry} label="Name" value=${query.name} onChange=${set('name')}/>
			<${Choice} label="State" value=${query.state} of=${[['', 'any'], ['Completed', 'Completed'], ['Deleted', 'Deleted']]} onChange=${set('state')}/>
			<${Entry} label="Code" value=${query.code} size=${5} onChange=${set('code')}/>
			<${Entry} label="Node" value=${query.node} onChange=${set('node')}/>
			<${Entry} label="Labels" value=${query.labels} placeholder="team=a,user!=b" size=${14} onChange=${set('labels')}/>
			<${Since} value=${query.since} onChange=${set('since')}/>
			<${Columns} of=${columnsOf(query)} known=${labelsOf(shown ?? [])} onChange=${all => choose({columns: all.join(',')})}/>
		</form>
		${live.message && html`<p class="stale" role="status">The state of Frameworks that run is not shown: <${Text} of=${live.message}/></p>`}
		<${Shown} answer=${answer}>${({whole}) => html`<${Table} rows=${shown} columns=${columnsOf(query)} query=${query}
			whole=${whole} onMore=${() => setMost(most + 200)}/>`}<//>`
}

const columnsOf = query => (query.columns ?? '').split(',').filter(Boolean)

const labelsOf = rows => [...new Set(rows.flatMap(f => Object.keys(f.labels ?? {})))].sort()

// Columns chooses the labels that are columns.
function Columns({of, known, onChange}) {
	const menu = useRef()
	const all = [...new Set([...known, ...of])]
	const close = e => {
		if (e.key !== 'Escape' || !menu.current.open) return
		menu.current.open = false
		menu.current.querySelector('summary').focus()
	}
	return html`<details class="menu" ref=${menu} onKeyDown=${close} onFocusOut=${e => { if (e.relatedTarget && !menu.current.contains(e.relatedTarget)) menu.current.open = false }}>
		<summary>Columns${of.length > 0 && ` (${of.length})`}</summary><fieldset><legend>Labels as columns</legend>${
			all.length === 0 && html`<p class="dim">No Framework in the list has labels.</p>`}${
			all.map(name => html`<label key=${name}><input type="checkbox" checked=${of.includes(name)} onChange=${e => onChange(e.target.checked ? [...of, name] : of.filter(n => n !== name))}/> <${Text} of=${name} most=${80}/></label>`)}</fieldset></details>`
}

function Table({rows, columns, query, whole, onMore}) {
	if (rows.length === 0) {
		return html`<${Empty}><h2>No Framework matches</h2><p>None in ${query.namespace ? html`namespace <${Text} of=${query.namespace}/>` : 'any namespace'
			} matches the filters in this time range. The history has Frameworks from the day on which it was installed.</p>${
			query.failed && html`<p><a href=${href([], {...query, failed: ''})}>Also show Frameworks that did not fail</a></p>`}<//>`
	}
	const several = !query.namespace, queues = rows.some(f => f.queue)
	return html`<div class="scroll" tabindex="0" role="region" aria-label="Frameworks"><table class="rows">
		<thead><tr>${several && html`<th>Namespace</th>`}<th>Name</th><th>Outcome</th><th>State</th><th>Attempts</th><th class="number">Tasks</th>
			<th class="number" title="share of the time of its Tasks on nodes, in attempts that were followed by a retry">Lost to retries</th>${queues && html`<th>Queue</th>`}${
			columns.map(c => html`<th key=${c}><${Text} of=${c}/></th>`)}<th>Created</th><th class="number">Duration</th></tr></thead>
		<tbody>${rows.map(f => html`<tr key=${f.uid}>
			${several && html`<td><a class="quiet" href=${href([], {...query, namespace: f.namespace})}><${Text} of=${f.namespace}/></a></td>`}
			<td class="name"><a href=${toFramework(f)}><${Text} of=${f.name} most=${60}/></a></td>
			<td class="ending"><${Outcome} of=${f.completion}/></td>
			<td><${State} of=${f}/></td>
			<td><${Spark} of=${f}/></td>
			<td class="number"><a class="quiet" href=${toFramework(f, 'tasks')}>${count(f.tasks)}</a></td>
			<td class="number">${f.usage?.lostSeconds ? html`<a class="quiet" href=${toFramework(f, 'tasks', {failed: 'true'})}><${Lost} of=${f.usage}/></a>` : html`<${Lost} of=${f.usage}/>`}</td>
			${queues && html`<td><${Text} of=${f.queue ?? ''}/></td>`}
			${columns.map(c => html`<td key=${c}><${Label} of=${f} name=${c} query=${query}/></td>`)}
			<td><${Time} at=${f.created}/></td>
			<td class="number">${f.completed ? html`<${Duration} from=${f.created} to=${f.completed}/>` : f.state === 'Deleted' ? '–' : duration(Date.now() - ms(f.created))}</td>
		</tr>`)}</tbody></table></div>
		<p class="foot">${count(rows.length)} Frameworks${whole ? '' : html`, and there are more. <button onClick=${onMore}>Show more</button>`}</p>`
}

function Label({of, name, query}) {
	const value = of.labels?.[name]
	return value === undefined ? null : html`<a class="quiet" href=${href([], {...query, labels: [query.labels, `${name}=${value}`].filter(Boolean).join(',')})}><${Text} of=${value}/></a>`
}

// Spark draws the latest attempts of a Framework as bars, the newest on the right: heights are durations, colours are outcomes.
function Spark({of}) {
	const attempts = of.latestAttempts ?? [], over = of.completed || of.state === 'Deleted'
	const n = over ? of.retries + 1 : (attempts[0]?.id ?? -1) + 2 // of one that runs, the history has the attempts that have ended
	const longest = Math.max(1, ...attempts.map(a => between(a.began, a.ended)))
	return html`<a class="spark" href=${toFramework(of)} aria-label=${`${count(n)} attempts`}>${n > 1 && [...attempts].reverse().map(a => {
		const c = classOf(a.completion)
		return html`<i key=${a.id} class=${c.name} title=${`attempt ${a.id}: ${c.word}, ${plain(a.completion.phrase)}, ${duration(between(a.began, a.ended))}`}
			style=${{height: 4 + 12 * Math.sqrt(Math.max(0, between(a.began, a.ended)) / longest) + 'px'}}></i>`
	})}<span class="number">${n}</span></a>`
}
