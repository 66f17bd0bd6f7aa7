// Attempts: a grid with a column for each attempt of a Framework, and rows for roles or, unfolded, Tasks. The newest is on the right.
import {Empty, Shown, useAnswer} from './answer.js'
import {each} from './api.js'
import {Decider, FirstFailure, Framework, RetryOf} from './framework.js'
import {html, useEffect, useMemo, useRef, useState} from './html.js'
import {byName, classes, classOf, isFailure, Legend, Outcome, Sign} from './outcome.js'
import {Switch, toFramework, toTask, useChoices} from './route.js'
import {between, count, duration, Duration, plain, Text, Time} from './text.js'

export const Attempts = ({of, query}) => html`<${Framework} of=${of} tab="">${detail => html`<${Body} detail=${detail} query=${query}/>`}<//>`

function Body({detail, query}) {
	const {framework, attempts} = detail
	const [, choose] = useChoices()
	if (attempts.length === 0) {
		return html`<${Empty}><h2>No attempt has ended yet</h2><p>The history has an attempt as soon as it has ended. This page reads again by itself.</p><//>`
	}
	const roles = [...new Set(detail.outcomes.map(o => o.role))]
	const unfolded = (query.unfolded ?? '').split(',').filter(Boolean)
	return html`<section aria-label="Grid of attempts">
		<div class="filters"><${Switch} label="Failures only" on=${query.failed} onChange=${failed => choose({failed})}/><${Legend}/></div>
		<${Grid} detail=${detail} roles=${roles} unfolded=${unfolded} failed=${query.failed} onFold=${role =>
			choose({unfolded: (unfolded.includes(role) ? unfolded.filter(r => r !== role) : [...unfolded, role]).join(',')})}/></section>
		<${FirstFailure} of=${framework} attempts=${attempts}/>
		<${Table} of=${framework} attempts=${attempts} outcomes=${detail.outcomes}/>`
}

// most is the number of attempts in a grid at first.
const most = 60

function Grid({detail, roles, unfolded, failed, onFold}) {
	const {framework, outcomes} = detail
	const [all, setAll] = useState(false)
	const scroll = useRef()
	const every = [...detail.attempts].reverse()
	const attempts = all ? every : every.slice(-most)
	useEffect(() => { scroll.current.scrollLeft = 1e9 }, [attempts.length])
	const cells = useMemo(() => cellsOf(outcomes), [outcomes])
	return html`<div class="scroll grid" ref=${scroll} tabindex="0" role="region" aria-label="Grid, scrolls sideways"><table>
		<caption class="unseen">Outcomes of Tasks by role and attempt. In each cell: the class that says most, and how many Tasks ended so.</caption>
		<thead><tr><th scope="col">Attempt</th>${attempts.map(a => html`<th key=${a.id} scope="col" class="number" title=${`began ${a.began}, took ${duration(between(a.began, a.ended))}`}><a class="quiet" href=${toFramework(framework, 'timeline', {attempt: a.id})}>${a.id}</a></th>`)}</tr>
		<tr class="whole"><th scope="row">Framework</th>${attempts.map(a => html`<td key=${a.id}><a class="cell whole" href=${toFramework(framework, 'tasks', {attempt: a.id})}
			aria-label=${`attempt ${a.id}: ${classOf(a.completion).word}, ${plain(a.completion.phrase)}`} title=${`${classOf(a.completion).word}: ${a.completion.code} ${plain(a.completion.phrase)}`}><${Sign} of=${classOf(a.completion)}/></a></td>`)}</tr></thead>
		<tbody>${roles.map(role => html`<tr key=${role}><th scope="row"><button class="fold" aria-expanded=${String(unfolded.includes(role))} onClick=${() => onFold(role)}><${Text} of=${role}/></button></th>${
			attempts.map(a => html`<td key=${a.id}><${Cell} of=${framework} role=${role} attempt=${a} counts=${cells.get(`${a.id} ${role}`)} failed=${failed}/></td>`)}</tr>
			${unfolded.includes(role) && html`<${Tasks} key=${role + ' tasks'} of=${framework} role=${role} attempts=${attempts} failed=${failed}/>`}`)}</tbody></table></div>
		${every.length > attempts.length && html`<p class="foot">The newest ${count(attempts.length)} of ${count(every.length)} attempts. <button onClick=${() => setAll(true)}>Show all</button></p>`}`
}

// cellsOf counts outcomes of each class by attempt and role.
function cellsOf(outcomes) {
	const cells = new Map()
	for (const o of outcomes) {
		const key = `${o.frameworkAttempt} ${o.role}`, c = classOf(o)
		const cell = cells.get(key) ?? cells.set(key, {counts: {}, words: [], total: 0}).get(key)
		cell.counts[c.name] = (cell.counts[c.name] ?? 0) + o.count
		cell.total += o.count
		cell.words.push([c.rank, `${count(o.count)} × ${o.type === 'Succeeded' ? 'succeeded' : `${o.code} ${plain(o.phrase)}, ${c.word}`}`])
	}
	return cells
}

function Cell({of, role, attempt, counts, failed}) {
	if (!counts) return null
	const there = classes.filter(c => counts.counts[c.name])
	const first = there[0]
	const words = counts.words.toSorted((a, b) => a[0] - b[0]).map(w => w[1]).join('\n')
	const faded = failed && first.rank > byName.conflict.rank
	return html`<a class=${'cell' + (faded ? ' faded' : '')} href=${toFramework(of, 'tasks', {attempt: attempt.id, role, class: first.name})} title=${`attempt ${attempt.id}, ${plain(role)}\n${words}`}
		aria-label=${`attempt ${attempt.id}, ${plain(role)}: ${words}`}><span class="of"><${Sign} of=${first}/>${counts.counts[first.name] === counts.total && counts.total === 1 ? '' : short(counts.counts[first.name])}</span>
		<span class="shares">${there.map(c => html`<i key=${c.name} class=${c.name} style=${{flexGrow: counts.counts[c.name]}}></i>`)}</span></a>`
}

const short = n => n < 1000 ? String(n) : `${(n / 1000).toFixed(n < 10_000 ? 1 : 0)}k`

// mostTasks is the number of attempts of Tasks that are read to unfold a role.
const mostTasks = 5000

// Tasks are the rows of an unfolded role.
function Tasks({of, role, attempts, failed}) {
	const [rows, setRows] = useState(100)
	const answer = useAnswer(`tasks ${of.uid} ${role} ${failed} ${attempts.length}`, async ({signal, tell}) => {
		let found
		await each(['frameworks', of.namespace, of.name, 'tasks'], {uid: of.uid, role, failed}, {most: mostTasks, signal,
			onPage: (items, whole) => tell(found = {items, whole})})
		return found
	})
	const span = attempts.length + 1
	if (!answer.data) return html`<tr><td colspan=${span}><${Shown} answer=${answer}/></td></tr>`
	const tasks = byTask(answer.data.items, failed)
	return html`${tasks.slice(0, rows).map(([index, of_]) => html`<tr key=${index}><th scope="row" class="task"><${Text} of=${`${role}-${index}`}/></th>${
		attempts.map(a => html`<td key=${a.id}><${TaskCell} of=${of} all=${of_.get(a.id)}/></td>`)}</tr>`)}
		<tr><td colspan=${span} class="dim">${tasks.length > rows && html`<button onClick=${() => setRows(rows + 500)}>Show more of ${count(tasks.length)} Tasks</button> `}${
			answer.data.whole ? failed && tasks.length === 0 ? 'No Task of this role failed by itself.' : '' : answer.loading ? 'Reading more…'
			: html`Of this role the newest ${count(answer.data.items.length)} attempts of Tasks are shown. <a href=${toFramework(of, 'tasks', {role})}>The list has all.</a>`}</td></tr>`
}

// byTask groups attempts of Tasks by Task, and each group by attempt of the Framework.
function byTask(items, failed) {
	const rows = new Map()
	for (const t of items) {
		if (failed && !isFailure(t.completion)) continue
		const row = rows.get(t.index) ?? rows.set(t.index, new Map()).get(t.index)
		row.set(t.frameworkAttempt, [...row.get(t.frameworkAttempt) ?? [], t])
	}
	return [...rows].sort((a, b) => a[0] - b[0])
}

// TaskCell is the last attempt of a Task in an attempt of the Framework. A notch stands for earlier ones.
function TaskCell({of, all}) {
	if (!all) return null
	const [last] = all, c = classOf(last.completion)
	const words = `${c.word}: ${last.completion.code} ${plain(last.completion.phrase)}${last.node ? ` on ${plain(last.node)}` : ''}${
		last.completion.plugin ? `, judged by ${plain(last.completion.plugin)}` : ''}${all.length > 1 ? `, retried ${all.length - 1} times` : ''}`
	return html`<a class=${'cell' + (all.length > 1 ? ' notch' : '')} href=${toTask(of, last)} title=${words} aria-label=${words}><${Sign} of=${c}/>${all.length > 1 ? all.length : ''}</a>`
}

function Table({of, attempts, outcomes}) {
	const [whole, setWhole] = useState(false)
	return html`<section><h2>Attempts, the newest first</h2><div class="scroll" tabindex="0" role="region" aria-label="Attempts"><table class="rows"><thead><tr><th class="number">Attempt</th><th>Outcome</th><th>Decided by</th><th>Then</th><th>Began</th>
		<th class="number">Placed after</th><th class="number">Ran after</th><th class="number">Took</th><th class="number">Tasks</th><th class="number">Failures</th></tr></thead>
		<tbody>${attempts.slice(0, whole ? undefined : 50).map(a => html`<tr key=${a.id}><td class="number">${a.id}</td>
			<td><${Outcome} of=${a.completion}/></td>
			<td>${a.triggerRole ? html`<${Decider} of=${of} attempt=${a}/>` : a.completion.plugin ? html`<${Text} of=${a.completion.plugin}/>` : html`<span class="dim">–</span>`}</td>
			<td><${RetryOf} of=${a.retry}/></td>
			<td><${Time} at=${a.began}/></td>
			<td class="number"><${Duration} from=${a.began} to=${a.placed}/></td><td class="number"><${Duration} from=${a.began} to=${a.ran}/></td>
			<td class="number"><a class="quiet" href=${toFramework(of, 'timeline', {attempt: a.id})}><${Duration} from=${a.began} to=${a.ended}/></a></td>
			<td class="number"><a class="quiet" href=${toFramework(of, 'tasks', {attempt: a.id})}>${count(a.tasks)}</a></td>
			<td class="number"><a class="quiet" href=${toFramework(of, 'tasks', {attempt: a.id, failed: 'true'})}>${count(failuresIn(a.id, outcomes))}</a></td></tr>`)}</tbody></table></div>
		${attempts.length > 50 && !whole && html`<p class="foot"><button onClick=${() => setWhole(true)}>Show all ${count(attempts.length)}</button></p>`}</section>`
}

const failuresIn = (attempt, outcomes) => outcomes.reduce((n, o) => n + (o.frameworkAttempt === attempt && isFailure(o) ? o.count : 0), 0)
