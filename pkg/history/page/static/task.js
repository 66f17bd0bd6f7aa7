// Task: one attempt of a Task, with its verdict, its phases, its containers and their log.
import {Empty, Shown, useAnswer} from './answer.js'
import {get} from './api.js'
import {Framework, Lines, linesOf, RetryOf, useExplanation} from './framework.js'
import {html} from './html.js'
import {Log} from './log.js'
import {classOf, Outcome, Phases, Sign} from './outcome.js'
import {toNode, toTask} from './route.js'
import {count, Duration, plain, Text, Time} from './text.js'

export const Task = ({of, role, index, query}) => html`<${Framework} of=${of} tab="tasks" brief>${({framework, happenings}) => html`<${Body} of=${framework} happenings=${happenings} role=${role} index=${index} query=${query}/>`}<//>`

function Body({of, happenings, role, index, query}) {
	const answer = useAnswer(`task ${of.uid} ${role} ${index}`, ({signal}) => get(['frameworks', of.namespace, of.name, 'tasks'],
		{uid: of.uid, role, index, details: 'true', limit: 1000}, {signal}))
	return html`<${Shown} answer=${answer}>${({items}) => {
		const t = items.find(t => (!query.attempt || String(t.frameworkAttempt) === query.attempt) && (!query.taskAttempt || String(t.attempt) === query.taskAttempt)) ?? items[0]
		if (!t) return html`<${Empty}><h2>No attempt of <${Text} of=${`${role}-${index}`}/> has ended</h2><p>The history has an attempt as soon as it has ended.</p><//>`
		return html`<section class="task"><div class="heading"><h2 class="big"><${Sign} of=${classOf(t.completion)}/><${Text} of=${`${t.role}-${t.index}`}/>, attempt ${t.frameworkAttempt}${
			items.some(o => o.frameworkAttempt === t.frameworkAttempt && o.attempt !== t.attempt) ? `, try ${t.attempt}` : ''}</h2>
			<${Others} of=${of} all=${items} now=${t}/></div>
			<div class="columns"><div><${Verdict} of=${of} t=${t} last=${!items.some(o => o.frameworkAttempt === t.frameworkAttempt && o.ended > t.ended)}/><${Containers} t=${t}/></div><div><h3>Phases</h3><${Phases} of=${t}/><${Pod} t=${t}/><${Events} of=${happenings} t=${t}/></div></div>
			<${Log} of=${of} t=${t} query=${query}/></section>`
	}}<//>`
}

// Others links to the other attempts of the Task, the oldest on the left.
const Others = ({of, all, now}) => html`<nav class="others" aria-label="Attempts of this Task">${[...all].reverse().map(t => {
	const words = `attempt ${t.frameworkAttempt}, try ${t.attempt}: ${classOf(t.completion).word}`
	return html`<a key=${`${t.taskUID} ${t.frameworkAttempt} ${t.attempt}`} class="cell" href=${toTask(of, t)} title=${words} aria-label=${words} aria-current=${t === now ? 'page' : null}><${Sign} of=${classOf(t.completion)}/></a>`
})}</nav>`

// Verdict shows how the attempt was judged, with the explanation if it was the last attempt of the Task: there is none of others.
function Verdict({of, t, last}) {
	const c = t.completion
	const answer = useExplanation(of, t.frameworkAttempt, {role: t.role, index: t.index})
	return html`<h3>Verdict</h3><p><${Outcome} of=${c}/></p>
		${last && answer.data && html`<${Lines} of=${of} attempt=${t.frameworkAttempt} lines=${linesOf(answer.data.statements).slice(1)}/>`}
		${c.words && html`<pre class="said"><${Text} of=${c.words} most=${2000}/></pre>`}
		<dl class="facts stacked">
			<div><dt>Judged by</dt><dd>${c.plugin ? html`<${Text} of=${c.plugin}/> <span class="dim"><${Text} of=${c.pluginVersion ?? ''}/></span>` : 'the built-in rules'}</dd></div>
			${c.rule && html`<div><dt>Rule</dt><dd><${Text} of=${c.rule}/></dd></div>`}
			${c.remedy && html`<div><dt>Remedy</dt><dd class="said"><${Text} of=${c.remedy} most=${1024}/></dd></div>`}
			${(t.shadow ?? []).map(s => html`<div key=${`${s.plugin} ${s.rule}`}><dt>In shadow</dt><dd><${InShadow} of=${s}/></dd></div>`)}
			<div><dt>Then</dt><dd><${RetryOf} of=${t.retry}/></dd></div>
			${c.diagnostics && c.diagnostics !== c.words && html`<div><dt>As recorded</dt><dd class="said"><${Text} of=${c.diagnostics} most=${200}/></dd></div>`}
			${t.deletionCause && html`<div><dt>Pod deleted for</dt><dd><${Text} of=${t.deletionCause}/></dd></div>`}</dl>`
}

// InShadow shows what a plugin or a rule in shadow would have decided.
const InShadow = ({of}) => html`${of.plugin ? html`plugin <${Text} of=${of.plugin}/>` : `rule ${of.rule}`}: ${of.outcome === 'same' ? 'the same' : of.outcome === 'no_opinion' ? 'no opinion'
	: of.outcome === 'other_advice' ? 'the same, with other advice' : of.verdict ? html`<${Outcome} of=${of.verdict}/>` : plain(of.outcome)}`

const Pod = ({t}) => html`<h3>Pod</h3><dl class="facts stacked"><div><dt>Name</dt><dd><${Text} of=${t.pod || 'none was created'}/></dd></div>
	<div><dt>Node</dt><dd>${t.node ? html`<a href=${toNode(t.node)}><${Text} of=${t.node}/></a>` : 'none'}</dd></div>
	<div><dt>Began</dt><dd><${Time} at=${t.began}/></dd></div><div><dt>Ended</dt><dd><${Time} at=${t.ended}/></dd></div>
	${Object.entries(t.requests ?? {}).map(([name, n]) => html`<div key=${name}><dt>${plain(name)}</dt><dd class="number">${amount(name, n)}</dd></div>`)}</dl>`

export const isBytes = name => name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-')

const amount = (name, n) => isBytes(name) ? `${(n / 2 ** 30).toLocaleString(undefined, {maximumFractionDigits: 2})} GiB` : n.toLocaleString(undefined, {maximumFractionDigits: 3})

function Containers({t}) {
	if (!t.containers?.length) return html`<h3>Containers</h3><p class="dim">None was seen.</p>`
	return html`<h3>Containers</h3><div class="scroll" tabindex="0" role="region" aria-label="Containers"><table class="rows"><thead><tr><th>Name</th><th class="number">Exit</th><th>Reason</th><th class="number">Restarts</th><th class="number">Ran</th><th>Image</th></tr></thead>
		<tbody>${t.containers.map(c => html`<tr key=${c.name}><td><${Text} of=${c.name}/>${c.init && html` <span class="dim">init</span>`}</td>
			<td class="number">${c.exitCode ?? '–'}${c.signal ? html` <span class="dim">signal ${c.signal}</span>` : ''}</td><td><${Text} of=${c.reason ?? ''}/>${c.message && html`<br/><span class="said"><${Text} of=${c.message} most=${300}/></span>`}</td>
			<td class="number">${count(c.restarts)}</td><td class="number"><${Duration} from=${c.started} to=${c.finished}/></td><td title=${plain(c.imageID ?? '')}><${Text} of=${c.image ?? ''} most=${80}/></td></tr>`)}</tbody></table></div>`
}

// Events are the happenings of the Framework during this attempt.
function Events({of, t}) {
	const near = of.filter(h => h.frameworkAttempt === t.frameworkAttempt && h.time >= t.began && h.time <= t.ended)
	return near.length > 0 && html`<h3>Meanwhile</h3><ul class="events">${near.map(h => html`<li key=${h.time + h.reason}><${Time} at=${h.time}/> <${Text} of=${h.reason}/> <span class="dim"><${Text} of=${
		Object.entries(h.facts ?? {}).map(([k, v]) => `${k} ${v}`).join(', ')}/></span></li>`)}</ul>`
}
