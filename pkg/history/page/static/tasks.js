// Attempts of Tasks as rows: the list of one Framework, to which the numbers of other views link, and the lists of other views.
import {Empty, Shown, useAnswer} from './answer.js'
import {each} from './api.js'
import {Framework} from './framework.js'
import {html} from './html.js'
import {classes, classOf, isFailure, Outcome} from './outcome.js'
import {Choice, Entry, href, Since, sinceTime, Switch, toFramework, toNode, toTask, useChoices} from './route.js'
import {count, Duration, Text, Time} from './text.js'
import {VirtualTable} from './virtual.js'

export const TaskList = ({of, query}) => html`<${Framework} of=${of} tab="tasks" brief>${({framework, attempts}) => html`<${Body} of=${framework} attempts=${attempts} query=${query}/>`}<//>`

function Body({of, attempts, query}) {
	const [, choose] = useChoices()
	const set = name => value => choose({[name]: value})
	const answer = useRows(['frameworks', of.namespace, of.name, 'tasks'], {uid: of.uid, attempt: query.attempt, role: query.role, index: query.role && query.index,
		code: query.code, node: query.node, class: query.class, failed: query.failed})
	return html`<form class="filters" onSubmit=${e => e.preventDefault()} aria-label="Filters">
			<${Switch} label="Failures only" on=${query.failed} onChange=${set('failed')}/>
			<${Choice} label="Attempt" value=${query.attempt} of=${[['', 'all'], ...attempts.map(a => [String(a.id), String(a.id)])]} onChange=${set('attempt')}/>
			<${Entry} label="Role" value=${query.role} onChange=${set('role')}/>
			<${Choice} label="Class" value=${query.class} of=${[['', 'all'], ...classes.filter(c => c.name !== 'running').map(c => [c.name, c.word])]} onChange=${set('class')}/>
			<${Entry} label="Code" value=${query.code} size=${5} onChange=${set('code')}/>
			<${Entry} label="Node" value=${query.node} onChange=${set('node')}/></form>
		<${Rows} answer=${answer} of=${of} label="Attempts of Tasks" empty=${html`<h2>No attempt of a Task</h2><p>None that has ended matches the filters. An attempt is in the history as soon as it has ended.</p>`}/>`
}

// mostRows is the number of attempts that a list reads at most.
export const mostRows = 20_000

// typeOf is the type of the API that includes a class.
const typeOf = {permanent: 'Permanent', transient: 'Transient', conflict: 'Conflict', succeeded: 'Succeeded', unknown: 'Failed', cut: 'Failed'}

// useRows reads attempts of Tasks. Some types of the API include several classes, so that rows of other classes are left out here.
export function useRows(path, asked, {most = mostRows} = {}) {
	const {class: name, failed, ...rest} = asked
	const query = {...rest, failed, type: typeOf[name]}
	const chosen = t => (!name || classOf(t.completion).name === name) && (!failed || isFailure(t.completion))
	return useAnswer(JSON.stringify([path, asked]), async ({signal, tell}) => {
		let found
		await each(path, query, {most, signal, onPage: (items, whole) => {
			found = {items: items.filter(chosen), whole, read: items.length}
			tell(found)
		}})
		return found
	})
}

// AllTasks lists attempts of Tasks of all Frameworks, to which the numbers of failures link.
export function AllTasks({query}) {
	const [, choose] = useChoices()
	const set = name => value => choose({[name]: value})
	const filters = {namespace: query.namespace, role: query.role, node: query.node, code: query.code, image: query.image, plugin: query.plugin, rule: query.rule, class: query.class, failed: query.failed}
	const answer = useRows(['tasks'], {...filters, since: sinceTime(query.since), until: query.until})
	return html`<header class="heading"><h1><a class="within" href=${href(['failures'], {namespace: query.namespace})}>Failures</a> / Attempts of Tasks</h1></header>
		<form class="filters" onSubmit=${e => e.preventDefault()} aria-label="Filters">
			<${Switch} label="Failures only" on=${query.failed} onChange=${set('failed')}/>
			<${Entry} label="Namespace" value=${query.namespace} placeholder="all" onChange=${set('namespace')}/>
			<${Since} value=${query.since} onChange=${since => choose({since, until: ''})}/>
			<${Choice} label="Class" value=${query.class} of=${[['', 'all'], ...classes.filter(c => c.name !== 'running').map(c => [c.name, c.word])]} onChange=${set('class')}/>
			<${Entry} label="Code" value=${query.code} size=${5} onChange=${set('code')}/>
			<${Entry} label="Node" value=${query.node} size=${8} onChange=${set('node')}/><${Entry} label="Role" value=${query.role} size=${6} onChange=${set('role')}/>
			<${Entry} label="Image" value=${query.image} onChange=${set('image')}/><${Entry} label="Plugin" value=${query.plugin} size=${8} onChange=${set('plugin')}/><${Entry} label="Rule" value=${query.rule} size=${8} onChange=${set('rule')}/></form>
		<${Rows} answer=${answer} label="Attempts of Tasks" empty=${html`<h2>No attempt of a Task matches</h2><p>None that ended in this time range matches the filters.</p>`}/>`
}

// The columns of a list; several are those of lists over several Frameworks only.
const columns = [{word: 'Outcome', width: 26}, {word: 'Framework', width: 14, several: true}, {word: 'Task', width: 10}, {word: 'Attempt', width: 5, number: true},
	{word: 'Try', width: 3, number: true, title: 'attempt of the Task'}, {word: 'Node', width: 10}, {word: 'Ended', width: 9}, {word: 'Ran', width: 7, number: true}, {word: 'Judged by', width: 12}]

// Rows lists attempts of Tasks. Without a Framework, each row names its own.
export function Rows({answer, of, label, empty}) {
	return html`<${Shown} answer=${answer}>${({items, whole, read}) => items.length === 0 && whole ? html`<${Empty}>${empty}<//>` : html`<div>
		<p class="foot" role="status">${count(items.length)} attempts of Tasks${whole ? '' : answer.loading ? ' so far; reading more…' : ` among the newest ${count(read)}. Narrow the filters to see older ones.`}</p>
		<${VirtualTable} items=${items} label=${label} widths=${columns.filter(c => !of || !c.several).map(c => c.width)} head=${columns.filter(c => !of || !c.several)}
			row=${t => html`<${Row} of=${of ?? {namespace: t.namespace, name: t.framework, uid: t.frameworkUID}} t=${t} several=${!of}/>`}/></div>`}<//>`
}

const Row = ({of, t, several}) => html`<td role="cell"><${Outcome} of=${t.completion}/></td>
	${several && html`<td role="cell"><a class="quiet" href=${toFramework(of)}><${Text} of=${`${of.namespace}/${of.name}`} most=${60}/></a></td>`}
	<td role="cell" class="name"><a href=${toTask(of, t)}><${Text} of=${`${t.role}-${t.index}`} most=${60}/></a></td><td role="cell" class="number">${t.frameworkAttempt}</td><td role="cell" class="number">${t.attempt}</td>
	<td role="cell">${t.node ? html`<a class="quiet" href=${toNode(t.node)}><${Text} of=${t.node} most=${60}/></a>` : html`<span class="dim">none</span>`}</td>
	<td role="cell"><${Time} at=${t.ended}/></td><td role="cell" class="number"><${Duration} from=${t.ran} to=${t.ended}/></td>
	<td role="cell" class="dim">${t.completion.plugin ? html`<${Text} of=${t.completion.rule ? `${t.completion.plugin}, ${t.completion.rule}` : t.completion.plugin} most=${60}/>` : ''}</td>`
