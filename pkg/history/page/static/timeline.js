// Timeline: when each Task of an attempt was queued, ran and ended, and what happened meanwhile.
import {Empty, Shown, useAnswer} from './answer.js'
import {each} from './api.js'
import {FirstFailure, Framework} from './framework.js'
import {html, useMemo} from './html.js'
import {Lanes} from './lanes.js'
import {byName, classOf, isFailure, Legend, phasesOf} from './outcome.js'
import {Choice, Entry, Switch, toFramework, toTask, useChoices} from './route.js'
import {count, duration, ms, plain, save, Text, Time} from './text.js'

// A role with more Tasks than this is folded at first.
const mostLanes = 200
// The attempts of Tasks that are read.
const mostBars = 40_000

export const Timeline = ({of, query}) => html`<${Framework} of=${of} tab="timeline" brief>${detail => html`<${Body} detail=${detail} query=${query}/>`}<//>`

function Body({detail, query}) {
	const {framework: of, attempts, happenings} = detail
	const [, choose] = useChoices()
	const attempt = query.attempt ?? (attempts[0] ? String(attempts[0].id) : ''), all = attempt === 'all'
	const index = query.role ? query.index : ''
	const range = useMemo(() => rangeOf(detail, {attempt, role: query.role, failed: query.failed, last: query.last, most: index ? Infinity : mostBars}), [detail, attempt, query.role, index, query.failed, query.last])
	const {first, last, older, newer} = range, most = older === undefined ? mostBars : Math.min(range.count, mostBars)
	const answer = useAnswer(`timeline ${of.uid} ${attempt} ${attempts.length} ${last} ${query.role ?? ''} ${index ?? ''} ${all && query.failed}`, async ({signal, tell}) => {
		let found = {items: [], whole: true}
		await each(['frameworks', of.namespace, of.name, 'tasks'], {uid: of.uid, ...all ? {lastAttempt: newer === undefined ? '' : last, failed: query.failed} : {attempt}, role: query.role, index}, {most, signal,
			onPage: (items, whole) => { found = {items, whole: whole || items.length >= most}; if (found.whole || items.length % 5000 === 0) tell(found) }})
		return found
	})
	if (attempts.length === 0) return html`<${Empty}><h2>No attempt has ended yet</h2><p>The timeline has an attempt of a Task as soon as it has ended.</p><//>`
	const within = n => first <= n && (n <= last || all && newer === undefined)
	return html`<form class="filters" onSubmit=${e => e.preventDefault()} aria-label="Filters"><${Switch} label="Failures only" on=${query.failed} onChange=${failed => choose({failed, last: ''})}/>
			<${Choice} label="Attempt" value=${attempt} of=${[...attempts.map(a => [String(a.id), `${a.id}: ${classOf(a.completion).word}`]), ['all', 'all']]} onChange=${attempt => choose({attempt, last: ''})}/>
			<${Choice} label="Role" value=${query.role} of=${[['', 'all'], ...[...new Set(detail.outcomes.map(o => o.role))].map(r => [r, plain(r)])]} onChange=${role => choose({role, index: '', last: ''})}/>
			${query.role && html`<${Entry} label="Task" type="number" size=${5} value=${index} placeholder="all" onChange=${index => choose({index, last: ''})}/>`}<${Legend}/>
			${answer.data && html`<button type="button" title="opens in Perfetto, and in chrome://tracing" onClick=${() => save(`${of.name}-${attempt}.trace.json`, 'application/json', traceOf(of, answer.data.items))}>Save as trace</button>`}</form>
		<${Shown} answer=${answer}>${({items, whole}) => html`${!index && html`<${LeftOut} range=${range} attempts=${attempts} items=${items} more=${!whole && answer.loading} onRange=${last => choose({last})}/>`}
			<${Drawn} of=${of} within=${within} attempts=${attempts} happenings=${happenings} items=${items} query=${query}/>
			<p><a href=${toFramework(of, 'tasks', {attempt: all ? '' : attempt, role: query.role, index})}>The same as a table</a></p>`}<//>
		<${FirstFailure} of=${of} attempts=${attempts.filter(a => within(a.id))}/>
		<${Marks} of=${happenings.filter(h => within(h.frameworkAttempt))}/>`
}

// rangeOf returns the attempts that are read, from first to last: one, or as many before last as have not too many attempts of Tasks. count is the
// number of these, and whole their number in all attempts. The ranges beside this one have older and newer as their last; undefined if there is none.
function rangeOf({attempts, outcomes}, {attempt, role, failed, last, most}) {
	const counts = new Map(attempts.map(a => [a.id, 0]))
	let whole = 0
	for (const o of outcomes) {
		if (role && o.role !== role || attempt === 'all' && failed && !isFailure(o)) continue
		if (attempt === 'all' || String(o.frameworkAttempt) === attempt) whole += o.count
		counts.set(o.frameworkAttempt, (counts.get(o.frameworkAttempt) ?? 0) + o.count)
	}
	const ids = [...counts.keys()].sort((a, b) => b - a)
	const one = ids.indexOf(Number(attempt))
	if (attempt !== 'all') return {first: ids[one], last: ids[one], count: counts.get(ids[one]) ?? 0, whole}
	const from = Math.max(0, ids.findIndex(id => id <= (last ?? Infinity)))
	let to = from, count = counts.get(ids[from]) ?? 0
	while (to + 1 < ids.length && count + counts.get(ids[to + 1]) <= most) count += counts.get(ids[++to])
	let newer = from - 1, after = counts.get(ids[newer]) ?? 0
	while (newer > 0 && after + counts.get(ids[newer - 1]) <= most) after += counts.get(ids[--newer])
	return {first: ids[to], last: ids[from], count, whole, older: ids[to + 1], newer: ids[newer]}
}

// LeftOut says what the timeline does not show, and leads to it.
function LeftOut({range: {first, last, count: there, whole, older, newer}, attempts, items, more, onRange}) {
	if (more) return html`<p class="foot" role="status">${count(items.length)} of ${count(Math.min(there, mostBars))} attempts of Tasks so far; reading more…</p>`
	if (there >= whole && there <= mostBars) return null
	return html`<div class="left-out" role="status"><p>${first === last ? `Attempt ${first}` : `Attempts ${first} to ${last}`} of ${count(attempts.length)}: ${count(items.length)} of ${count(whole)} attempts of Tasks. ${
			there > mostBars ? 'The ones that ended last are shown: choose a role or a Task to see others.' : 'Choose one attempt, a role or a Task, or go through the attempts:'}</p>
		${older !== undefined && html`<button type="button" onClick=${() => onRange(older)}>← Earlier attempts</button>`}${newer !== undefined && html`<button type="button" onClick=${() => onRange(newer)}>Later attempts →</button>`}</div>`
}

function Drawn({of, within, attempts, happenings, items, query}) {
	const [, choose] = useChoices()
	const unfolded = query.unfolded ?? ''
	const lanes = useMemo(() => lanesOf(of, items, {failed: query.failed, unfolded: unfolded.split(','), attempts,
		onUnfold: role => choose({unfolded: [...unfolded.split(',').filter(Boolean), role].join(',')})}), [items, query.failed, unfolded])
	const marks = useMemo(() => marksOf(happenings, attempts, within), [happenings, attempts, items])
	if (lanes.length === 0) return html`<${Empty}><p>No Task ${query.failed ? 'failed by itself' : 'has ended'} in this attempt.</p><//>`
	return html`<${Lanes} lanes=${lanes} marks=${marks} label=${`Timeline of ${count(items.length)} attempts of Tasks`}/>${unfolded && html`<p><button onClick=${() => choose({unfolded: ''})}>Fold the roles again</button></p>`}`
}

// firstOf finds the Task that failed first by itself in each attempt of the Framework.
function firstOf(items) {
	const first = new Map()
	for (const t of items) {
		const known = first.get(t.frameworkAttempt), at = ms(t.containersEnded ?? t.ended)
		if (isFailure(t.completion) && (!known || at < ms(known.containersEnded ?? known.ended))) first.set(t.frameworkAttempt, t)
	}
	return new Set(first.values())
}

// Bar is an attempt of a Task in a lane. Words and addresses are made when they are asked for: there may be tens of thousands of bars.
class Bar {
	constructor(of, t) {
		this.of = of
		this.t = t
		this.class = classOf(t.completion)
		this.from = ms(t.began)
		this.to = Math.max(this.from, ms(t.ended))
		this.phases = phasesOf(t)
		this.first = false // it failed before all others
	}
	get task() { return this.t.index }
	get href() { return toTask(this.of, this.t) }
	get words() {
		const {t, class: c} = this
		return `${plain(t.role)}-${t.index}, attempt ${t.frameworkAttempt}${t.attempt ? `, try ${t.attempt}` : ''}: ${c.word}${c === byName.succeeded ? '' : `, ${t.completion.code} ${plain(t.completion.phrase)}`}${
			t.node ? ` on ${plain(t.node)}` : ''}, after ${duration(this.to - this.from)}${this.first ? '. It failed first.' : ''}`
	}
}

// barOf returns the one bar of an attempt: page after page is read, and lanes are made again after each.
const bars = new WeakMap()
export const barOf = (of, t) => bars.get(t) ?? bars.set(t, new Bar(of, t)).get(t)

function lanesOf(of, items, {failed, unfolded, onUnfold}) {
	const first = firstOf(items), roles = new Map()
	for (const t of items) {
		if (failed && !isFailure(t.completion)) continue
		const role = roles.get(t.role) ?? roles.set(t.role, new Map()).get(t.role)
		const there = role.get(t.index) ?? role.set(t.index, []).get(t.index), bar = barOf(of, t)
		bar.first = first.has(t)
		there.push(bar)
	}
	const lanes = []
	for (const [role, tasks] of [...roles].sort((a, b) => a[0] < b[0] ? -1 : 1)) {
		if (tasks.size > mostLanes && !unfolded.includes(role)) {
			lanes.push({label: `${role} (${count(tasks.size)})`, bars: [...tasks.values()].flat(), folded: true, unfold: () => onUnfold(role)})
			continue
		}
		for (const [index, bars] of [...tasks].sort((a, b) => a[0] - b[0])) lanes.push({label: `${role}-${index}`, bars})
	}
	// Who failed by itself is on top, the first one first.
	const died = l => l.folded ? Infinity : l.bars.reduce((first, b) => b.class.rank <= byName.conflict.rank ? Math.min(first, b.to) : first, Infinity)
	return lanes.map(l => [died(l), l]).sort(([a], [b]) => a === b ? 0 : a - b).map(([, l]) => l)
}

function marksOf(happenings, attempts, within) {
	return [...happenings.filter(h => within(h.frameworkAttempt)).map(h => ({at: ms(h.time), word: h.reason})),
		...attempts.filter(a => within(a.id)).flatMap(a => [{at: ms(a.placed), word: 'placed'}, {at: ms(a.ran), word: 'all run'}])].filter(m => Number.isFinite(m.at))
}

const Marks = ({of}) => of.length > 0 && html`<section><h2>What happened meanwhile</h2><ul class="events">${of.slice(0, 200).map((h, i) => html`<li key=${i}><${Time} at=${h.time}/> <${Text} of=${h.reason}/> <span class="dim"><${Text} of=${Object.entries(h.facts ?? {}).map(([k, v]) => `${k} ${v}`).join(', ')}/></span></li>`)}</ul></section>`

// The timeline in the format of Chrome's tracing, which Perfetto opens: a process for each role, a thread for each Task.

export function traceOf(of, items) {
	const roles = [...new Set(items.map(t => t.role))], events = []
	roles.forEach((role, i) => events.push({ph: 'M', name: 'process_name', pid: i + 1, args: {name: `${of.namespace}/${of.name} ${role}`}}))
	for (const t of items) {
		const at = {pid: roles.indexOf(t.role) + 1, tid: t.index}
		const args = {attempt: t.frameworkAttempt, try: t.attempt, code: t.completion.code, phrase: t.completion.phrase, class: classOf(t.completion).word, node: t.node, pod: t.pod}
		events.push({...at, ph: 'X', cat: 'attempt', name: `${t.role}-${t.index}`, ts: ms(t.began) * 1000, dur: Math.max(0, ms(t.ended) - ms(t.began)) * 1000, args})
		for (const p of phasesOf(t)) events.push({...at, ph: 'X', cat: 'phase', name: p.phase.word, ts: p.from * 1000, dur: (p.to - p.from) * 1000})
	}
	return JSON.stringify({traceEvents: events, displayTimeUnit: 'ms'})
}
