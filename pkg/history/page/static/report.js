// Report: requests of attempts of Tasks, their time on nodes, and the part of it that retries lost.
import {Empty, Shown, useAnswer} from './answer.js'
import {get} from './api.js'
import {html} from './html.js'
import {Choice, Entry, href, Since, sinceTime, toNode, toTasks, useChoices} from './route.js'
import {isBytes} from './task.js'
import {count, save, Text} from './text.js'

const groupings = [['namespace', 'namespace'], ['code', 'code'], ['node', 'node'], ['role', 'role'], ['rule', 'rule'], ['label', 'label of Frameworks']]

export function Report({query}) {
	const [, choose] = useChoices()
	const set = name => value => choose({[name]: value})
	const by = query.by || 'namespace'
	const asked = by === 'label' ? query.key && 'label:' + query.key : by
	const since = sinceTime(query.since)
	const answer = useAnswer(`report ${asked} ${query.namespace ?? ''} ${since} ${query.until ?? ''}`, async ({signal}) =>
		asked ? get(['report'], {by: asked, namespace: query.namespace, since, until: query.until}, {signal}) : {rows: []})
	return html`<h1 class="unseen">Report</h1><form class="filters" onSubmit=${e => e.preventDefault()} aria-label="Filters">
			<${Choice} label="Group by" value=${by} of=${groupings} onChange=${set('by')}/>
			${by === 'label' && html`<${Entry} label="Label" value=${query.key} placeholder="team" onChange=${set('key')}/>`}
			<${Entry} label="Namespace" value=${query.namespace} placeholder="all" onChange=${set('namespace')}/><${Since} value=${query.since} onChange=${set('since')}/>
			${answer.data?.rows.length > 0 && html`<button type="button" onClick=${() => save('report.csv', 'text/csv', csvOf(answer.data))}>Save as CSV</button>`}</form>
		<${Shown} answer=${answer}>${report => report.rows.length === 0 ? html`<${Empty}><h2>There is nothing to report</h2><p>${asked ? 'No attempt of a Task ended in this time range.' : 'Name the label to group by.'}</p><//>`
			: html`<${Table} report=${report} by=${by} query=${query}/>`}<//>`
}

// resourcesOf returns the resources of a report: cores, memory, then all others by name.
function resourcesOf(rows) {
	const first = ['cpu', 'memory'], all = new Set(rows.flatMap(r => Object.keys(r.resourceSeconds ?? {})))
	return [...first.filter(n => all.has(n)), ...[...all].filter(n => !first.includes(n)).sort()]
}

// The unit of time of a report: minutes if all of it is less than ten hours.
const unitOf = total => total.runSeconds + total.waitSeconds < 36_000 ? {seconds: 60, short: 'min', word: 'minutes'} : {seconds: 3600, short: 'h', word: 'hours'}

const scaled = (name, seconds = 0) => isBytes(name) ? seconds / 2 ** 30 : seconds
const titleOf = (name, unit) => (isBytes(name) ? `${name} GiB` : name === 'cpu' ? 'core' : name.replace(/^.*\//, '')) + '·' + unit.short

function totalOf(rows) {
	const sum = name => rows.reduce((n, r) => n + (r[name] ?? 0), 0)
	const total = {attempts: sum('attempts'), failed: sum('failed'), runSeconds: sum('runSeconds'), waitSeconds: sum('waitSeconds'), startSeconds: sum('startSeconds'), lostSeconds: sum('lostSeconds'), resourceSeconds: {}, lostResourceSeconds: {}}
	for (const r of rows) {
		for (const kind of ['resourceSeconds', 'lostResourceSeconds']) for (const [name, n] of Object.entries(r[kind] ?? {})) total[kind][name] = (total[kind][name] ?? 0) + n
	}
	return total
}

function Table({report, by, query}) {
	const resources = resourcesOf(report.rows), total = totalOf(report.rows), unit = unitOf(total)
	const hours = seconds => (seconds / unit.seconds).toLocaleString(undefined, {minimumFractionDigits: 1, maximumFractionDigits: 1})
	const link = r => by === 'namespace' ? href([], {namespace: r.group, since: query.since}) : by === 'node' && r.group ? toNode(r.group, {since: query.since, namespace: query.namespace})
		: by === 'code' ? href([], {code: r.group, namespace: query.namespace, since: query.since}) : by === 'label' && r.group ? href([], {labels: `${query.key}=${r.group}`, namespace: query.namespace, since: query.since}) : undefined
	const period = {since: report.since, until: report.until}
	const rows = {namespace: r => ({namespace: r.group}), node: r => ({node: r.group}), role: r => ({role: r.group}), code: r => ({code: r.group})}[by]
	const number = (r, n, more) => rows && r.group ? html`<a class="quiet" href=${toTasks({namespace: query.namespace, ...rows(r), ...period, ...more})}>${count(n)}</a>` : count(n)
	const cells = r => html`<td class="number">${number(r, r.attempts)}</td><td class="number">${number(r, r.failed, {failed: 'true'})}</td><td class="number">${hours(r.waitSeconds)}</td><td class="number">${hours(r.startSeconds)}</td><td class="number">${hours(r.runSeconds)}</td>
		<td class="number">${hours(r.lostSeconds)}</td><td class="gauge" aria-hidden="true"><i style=${{width: 100 * (r.runSeconds ? r.lostSeconds / r.runSeconds : 0) + '%'}}></i></td><td class="number">${r.runSeconds ? `${(100 * r.lostSeconds / r.runSeconds).toFixed(1)} %` : '–'}</td>
		${resources.map(name => html`<td key=${name} class="number" title=${`${hours(scaled(name, r.lostResourceSeconds?.[name]))} of them lost`}>${hours(scaled(name, r.resourceSeconds?.[name]))}</td>`)}`
	return html`<p class="dim">Times in ${unit.word}, added up over attempts of Tasks that ended in the time range. Lost: in attempts that were followed by a retry. Resources are requests multiplied by the time on nodes, and not their use.</p>
		<div class="scroll" tabindex="0" role="region" aria-label="Report"><table class="rows"><thead><tr><th>${by === 'label' ? query.key : by}</th><th class="number">Attempts</th><th class="number">Failed</th><th class="number" title="for a node">Waited</th><th class="number" title="from the node to running">Started</th><th class="number">On nodes</th>
			<th class="number">Lost</th><th></th><th class="number">Share</th>${resources.map(name => html`<th key=${name} class="number">${titleOf(name, unit)}</th>`)}</tr></thead>
		<tbody>${report.rows.map(r => html`<tr key=${r.group}><td>${link(r) ? html`<a href=${link(r)}><${Text} of=${r.group} most=${80}/></a>` : html`<${Text} of=${r.group || 'none'} most=${80}/>`}</td>${cells(r)}</tr>`)}</tbody>
		${report.rows.length > 1 && html`<tfoot><tr><th scope="row">total</th>${cells(total)}</tr></tfoot>`}</table></div>`
}

// csvOf returns the report for a spreadsheet, in seconds. An apostrophe protects a text that a spreadsheet would take for a formula.
export function csvOf(report) {
	const resources = resourcesOf(report.rows)
	const cell = value => {
		const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) && !/^-?\d+$/.test(value) ? "'" + value : String(value ?? '')
		return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
	}
	const lines = [['group', 'attempts', 'failed', 'run_seconds', 'wait_seconds', 'start_seconds', 'lost_seconds', ...resources.flatMap(n => [n + '_seconds', n + '_lost_seconds'])],
		...report.rows.map(r => [r.group, r.attempts, r.failed, r.runSeconds, r.waitSeconds, r.startSeconds, r.lostSeconds, ...resources.flatMap(n => [r.resourceSeconds?.[n] ?? 0, r.lostResourceSeconds?.[n] ?? 0])])]
	return lines.map(l => l.map(cell).join(',') + '\r\n').join('')
}
