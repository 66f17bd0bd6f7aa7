// The heading of the views of one Framework: how it stands or ended, in the sentences of kubectl framework explain, and who failed first.
import {Failed, followChanges, Loading, Shown, useAnswer} from './answer.js'
import {get, offers} from './api.js'
import {html, useState} from './html.js'
import {useLive} from './live.js'
import {Line} from './log.js'
import {classOf, isFailure, Outcome, Sign, State} from './outcome.js'
import {href, toFramework, toNode, toTask} from './route.js'
import {clock, count, duration, isLink, ms, percent, plural, Text, Time, utc} from './text.js'

const isOver = f => f.state === 'Completed' || f.state === 'Deleted'

// Framework shows the heading, and the view below it. The view gets the answer about the Framework. Brief headings leave room for the view.
export function Framework({of, tab, brief, children}) {
	const answer = useAnswer(`framework ${of.namespace} ${of.name} ${of.uid ?? ''}`, ({signal}) => get(['frameworks', of.namespace, of.name], {uid: of.uid}, {signal}),
		{follow: followChanges({namespace: of.namespace, name: of.name, uid: of.uid}), over: d => isOver(d.framework)})
	const live = useLive(of.namespace, {wanted: answer.data && !isOver(answer.data.framework), explained: answer.data?.framework})
	return html`<${Shown} answer=${answer}>${detail => {
		const now = live.rows?.get(detail.framework.uid)
		const f = now && !isOver(detail.framework) ? {...detail.framework, ...now, retries: detail.framework.retries, accountableRetries: detail.framework.accountableRetries} : detail.framework
		return html`<${Heading} of=${f} detail=${detail} live=${live} brief=${brief}/><${Tabs} of=${f} tab=${tab}/>${children({...detail, framework: f})}`
	}}<//>`
}

const Tabs = ({of, tab}) => html`<nav class="tabs" aria-label="Of this Framework">${[['', 'Attempts'], ['timeline', 'Timeline'], ['tasks', 'Tasks']].map(([to, word]) =>
	html`<a key=${to} href=${toFramework(of, to)} aria-current=${tab === to ? 'page' : null}>${word}</a>`)}</nav>`

function Heading({of, detail, live, brief}) {
	const {attempts, usage} = detail
	const now = !isOver(of) && live.explanation?.statements
	return html`<header class="heading">
		<h1><a class="within" href=${href([], {namespace: of.namespace})}><${Text} of=${of.namespace}/></a> / <${Text} of=${of.name} most=${253}/></h1>
		${isOver(of) && attempts.length > 0 ? html`<${Explained} of=${of} attempt=${attempts[0]} brief=${brief}/>`
			: now ? html`<${Said} of=${of} attempt=${live.explanation.frameworkAttempt} lines=${linesNow(now)} brief=${brief}/>`
			: html`<p class="lead"><${Standing} of=${of} attempts=${attempts}/></p><${NotExplained} of=${of} live=${live}/>`}
		${!brief && html`<dl class="facts">
			<div><dt>State</dt><dd><${State} of=${of}/></dd></div>
			${of.deletedBefore && html`<div title="No controller ran when it was deleted."><dt>Deleted before</dt><dd><${Time} at=${of.deletedBefore}/></dd></div>`}
			<div><dt>Created</dt><dd><${Time} at=${of.created}/></dd></div>
			<div><dt>${of.completed ? 'Took' : 'Since then'}</dt><dd>${duration((of.completed ? Date.parse(of.completed) : Date.now()) - Date.parse(of.created))}</dd></div>
			<div><dt>Tasks</dt><dd><a class="quiet" href=${toFramework(of, 'tasks')}>${count(of.tasks)}</a></dd></div>
			<div><dt>Retries</dt><dd>${count(of.retries)}${of.accountableRetries !== of.retries && html` <span class="dim">(${count(of.accountableRetries)} counted)</span>`}</dd></div>
			<div><dt>Lost to retries</dt><dd><${Lost} of=${usage}/></dd></div>
			${of.queue && html`<div><dt>Queue</dt><dd><${Text} of=${of.queue}/></dd></div>`}
			${Object.entries(of.labels ?? {}).map(([key, value]) => html`<div key=${key}><dt><${Text} of=${key} most=${80}/></dt><dd><a class="quiet" href=${href([], {labels: `${key}=${value}`, namespace: of.namespace})}><${Text} of=${value} most=${80}/></a></dd></div>`)}
		</dl><${Links} of=${of.links}/>`}</header>`
}

// Lost is the share of the time of Tasks on nodes that retries have lost.
export function Lost({of}) {
	if (!of?.runSeconds) return html`<span class="dim">–</span>`
	const gpus = Object.entries(of.lostResourceSeconds ?? {}).filter(([name, n]) => n > 0 && name.includes('/')).map(([name, n]) => `, ${(n / 3600).toLocaleString(undefined, {maximumFractionDigits: 1})} hours of ${name}`).join('')
	return html`<span class=${of.lostSeconds ? '' : 'dim'} title=${`${duration(1000 * of.lostSeconds)} of ${duration(1000 * of.runSeconds)} that its Tasks were on nodes, in attempts that were followed by a retry${gpus}`}>${
		of.lostSeconds ? percent(of.lostSeconds / of.runSeconds) : '0 %'}</span>`
}

// Links lead to other systems, such as TensorBoard. The server has checked them, too.
const Links = ({of = []}) => of.length > 0 && html`<ul class="links" aria-label="Links">${of.filter(l => isLink(l.url)).map(l =>
	html`<li key=${l.name}><a href=${l.url} rel="noopener noreferrer" target="_blank" title=${l.url}><${Text} of=${l.name} most=${60}/> ↗</a></li>`)}</ul>`

// Standing says in a sentence how a Framework stands that is not over, as far as the history knows.
function Standing({of, attempts}) {
	if (isOver(of)) return html`<${Sign} of=${classOf(of.completion)}/>It ended before an attempt was recorded.`
	return html`<${Sign} of=${classOf(undefined)}/>${attempts.length
		? html`Attempt ${count(attempts[0].id + 1)} has not ended. ${attempts.length > 1 ? `${count(attempts.length)} attempts ended before it, the last one` : 'The attempt before it ended'} with <${Outcome} of=${attempts[0].completion}/>.`
		: 'Its first attempt has not ended.'}${of.waiting && html` <${Text} of=${of.waiting}/>`}`
}

// NotExplained says why there is no more than that.
function NotExplained({of, live}) {
	if (isOver(of)) return null
	if (live.none) return html`<p class="dim">The history has an attempt as soon as it has ended. Opened by kubectl framework ui, this page also says what the Framework does now, and what it waits for.</p>`
	const why = live.explanation?.message ?? live.message
	return why && html`<p class="stale" role="status">What the cluster says about it now is not shown: <${Text} of=${why}/></p>`
}

// useExplanation reads the statements about an attempt of a Framework, or of a Task in it.
export const useExplanation = (of, attempt, task = {}) => useAnswer(`explain ${of.uid} ${of.state} ${attempt} ${task.role ?? ''} ${task.index ?? ''}`, ({signal}) =>
	get(['frameworks', of.namespace, of.name, 'explain'], {uid: of.uid, attempt, ...task}, {signal}))

// The first failure has a section of its own, earlier attempts have a table, and links are below.
const elsewhere = new Set(['FailedFirst', 'DisruptedFirst', 'EarlierRetry'])

// linesOf returns statements about an attempt that is over by the lines on which they are read. All that follows after the first failure, or after an
// earlier attempt, is about it.
export function linesOf(statements) {
	const end = statements.findIndex(s => elsewhere.has(s.topic))
	return byLine(statements.filter((s, i) => end < 0 || i < end || s.topic === 'LinkIgnored'))
}

// linesNow does the same for a Framework that is not over.
const linesNow = statements => byLine(statements.filter(s => !elsewhere.has(s.topic) && s.topic !== 'EarlierForgotten'))

function byLine(statements) {
	const lines = []
	for (const s of statements) {
		if (s.topic === 'Link') continue
		if (s.continues && lines.length) lines.at(-1).push(s)
		else lines.push([s])
	}
	return lines
}

// Explained says how an attempt ended.
function Explained({of, attempt, brief}) {
	const answer = useExplanation(of, attempt.id)
	if (answer.error && !answer.data) return html`<p class="lead"><${Outcome} of=${attempt.completion}/></p>`
	return html`<${Said} of=${of} attempt=${attempt.id} lines=${answer.data ? linesOf(answer.data.statements) : []} brief=${brief}/>`
}

// Said shows the lines of an explanation. The first one is the lead.
const Said = ({of, attempt, lines, brief}) => html`<p class="lead"><${Sign} of=${classOf(of.completion)}/>${lines.length ? html`<${Sentences} of=${of} attempt=${attempt} line=${lines[0]}/>` : '…'}</p>
	${!brief && html`<${Lines} of=${of} attempt=${attempt} lines=${lines.slice(1)}/>`}`

// The lines that are shown at first.
const mostLines = 4

export function Lines({of, attempt, lines}) {
	const [whole, setWhole] = useState(false)
	return html`<ul class="explained">${lines.slice(0, whole ? undefined : mostLines).map((line, i) => html`<li key=${i}><${Sentences} of=${of} attempt=${attempt} line=${line}/></li>`)}${
		!whole && lines.length > mostLines && html`<li><button class="plain" onClick=${() => setWhole(true)}>${plural(lines.length - mostLines, 'more sentence')}</button></li>`}</ul>`
}

const Sentences = ({of, attempt, line}) => line.map((s, i) => html`${i > 0 && ' '}<${Sentence} key=${i} of=${of} attempt=${attempt} statement=${s}/>`)

// Sentence shows the parts of a sentence: times in the zone of the reader, and links to Tasks and nodes. A server of before there were parts has only
// the text.
const Sentence = ({of, attempt, statement: {sentence, parts}}) => parts ? parts.map((p, i) => html`<${Part} key=${i} of=${of} attempt=${attempt} part=${p}/>`) : html`<${Text} of=${sentence}/>`

function Part({of, attempt, part: {text, time, distance, subject}}) {
	if (time) return distance ? html`<time datetime=${time} title=${utc(ms(time))}>${text}</time>` : html`<${Time} at=${time}/>`
	const to = subject?.kind === 'Task' ? href(['frameworks', of.namespace, of.name, 'tasks', subject.role, String(subject.index)], {uid: of.uid, attempt})
		: subject?.kind === 'Node' ? toNode(subject.name, {namespace: of.namespace}) : null
	return to ? html`<a href=${to}><${Text} of=${text}/></a>` : html`<${Text} of=${text}/>`
}

export const Decider = ({of, attempt}) => html`<a href=${href(['frameworks', of.namespace, of.name, 'tasks', attempt.triggerRole, String(attempt.triggerIndex ?? 0)],
	{uid: of.uid, attempt: attempt.id})}><${Text} of=${`${attempt.triggerRole}-${attempt.triggerIndex ?? 0}`}/></a>`

// RetryOf words what the retry policy made of an attempt.
export function RetryOf({of}) {
	const row = of.row && html` <span class="dim" title="row of the retry table"><${Text} of=${of.row}/></span>`
	if (!of.follows) return html`no retry${row}`
	return html`retried${of.delaySeconds ? ` after ${duration(of.delaySeconds * 1000)}` : ''}${row}`
}

// FirstFailure shows the first failure of the newest attempt that failed: who died first.
export function FirstFailure({of, attempts}) {
	const failed = attempts.find(a => isFailure(a.completion))
	const answer = useAnswer(failed ? `first ${of.uid} ${failed.id}` : '', async ({signal}) => failed && await offers('frameworks/{namespace}/{name}/first-failure')
		? get(['frameworks', of.namespace, of.name, 'first-failure'], {uid: of.uid, attempt: failed.id}, {signal}) : null)
	const t = answer.data?.task
	if (!t) return null
	return html`<section class="first" aria-label="First failure"><h2>Who failed first in attempt ${failed.id}</h2><p><a href=${toTask(of, t)}><${Text} of=${`${t.role}-${t.index}`}/></a> with${' '}<${Outcome} of=${t.completion}/>${t.node && html` on <a href=${toNode(t.node)}><${Text} of=${t.node}/></a>`} at <${Time} at=${t.containersEnded ?? t.ended}/>.${
		answer.data.consequences > 0 && html` ${plural(answer.data.consequences, 'failure')} came later.`}${answer.data.endedByOthers > 0 && html` ${plural(answer.data.endedByOthers, 'Task')} that did not fail ended with it.`}</p>${
		said(t) && html`<pre class="said"><${Text} of=${said(t)}/></pre>`}<${Around} of=${of} attempt=${failed.id} at=${t.containersEnded ?? t.ended}/></section>`
}

// said is the message of the failed container, or else the diagnostics.
const said = t => t.containers?.find(c => c.exitCode && c.message)?.message || t.completion.words

const mostAround = 500 // lines

// Around shows the lines that all Tasks logged around a time, after a click.
function Around({of, attempt, at}) {
	const [asked, setAsked] = useState(false)
	const answer = useAnswer(asked ? `around ${of.uid} ${attempt} ${at}` : '', async ({signal}) => {
		if (!asked) return
		if (!(await get(['frameworks', of.namespace, of.name, 'logs'], {uid: of.uid, attempt, limit: 1}, {signal})).items.length) return []
		return (await get(['frameworks', of.namespace, of.name, 'around'], {uid: of.uid, attempt, time: at, limit: mostAround}, {signal})).items
	})
	if (!asked) return html`<p><button onClick=${() => setAsked(true)}>Show the logs of all Tasks around it</button></p>`
	if (answer.error) return html`<${Failed} error=${answer.error}/>`
	if (!answer.data) return html`<${Loading}/>`
	if (!answer.data.length) return html`<p class="dim">No line of a log is kept around this time.</p>`
	return html`<div class="pane around mono" tabindex="0" role="region" aria-label="Logs around the failure">${answer.data.map((l, i) => html`<div key=${i} class=${ms(l.time) >= ms(at) ? 'later' : ''}><time title=${utc(ms(l.time))}>${clock(l.time)}</time> <b><${Text} of=${`${l.role}-${l.index}`}/></b> <span><${Line} text=${l.text.slice(0, 2000)}/></span></div>`)}</div>`
}
