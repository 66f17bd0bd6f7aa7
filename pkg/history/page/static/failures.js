// Failures: where and what fails more often than chance explains, and when.
import {Empty, Shown, useAnswer} from './answer.js'
import {get} from './api.js'
import {html, useEffect, useRef} from './html.js'
import {classes, classOf, coloursOf, Legend, Sign} from './outcome.js'
import {Choice, Entry, href, Since, sinceTime, toNode, toTasks, useChoices} from './route.js'
import {Rows, useRows} from './tasks.js'
import {count, ms, percent, plural, Text, utc} from './text.js'
import uPlot from './vendor/uplot.js'

// The groups of the ranking, and what each is compared with.
const groupings = {
	node: {word: 'Nodes', one: 'Node', with: 'Other nodes'},
	image: {word: 'Images', one: 'Image', with: 'Other images'},
	role: {word: 'Roles', one: 'Role', with: 'Other roles'},
	rule: {word: 'Rules', one: 'Rule', with: 'Time before'},
}

export function Failures({query}) {
	const [, choose] = useChoices()
	const set = name => value => choose({[name]: value})
	const by = groupings[query.by] ? query.by : 'node', since = sinceTime(query.since)
	const rows = useRows(['tasks'], {namespace: query.namespace, since, until: query.until, code: query.code, class: query.class, failed: 'true'}, {most: 5000})
	const counted = by => useAnswer(`failures ${query.namespace ?? ''} ${by} ${since} ${query.until ?? ''}`, ({signal}) =>
		get(['failures'], {namespace: query.namespace, by, since, until: query.until}, {signal}))
	const ranking = counted(by), codes = counted('code')
	return html`<h1 class="unseen">Failures</h1><form class="filters" onSubmit=${e => e.preventDefault()} aria-label="Filters">
			<${Entry} label="Namespace" value=${query.namespace} placeholder="all" onChange=${set('namespace')}/>
			<${Since} value=${query.since} onChange=${set('since')}/></form>
		<div class="columns"><section><div class="choices"><h2>Where more than elsewhere</h2><div role="group" aria-label="Compare">${Object.entries(groupings).map(([name, g]) =>
				html`<button key=${name} type="button" class="switch" aria-pressed=${String(name === by)} onClick=${() => choose({by: name})}>${g.word}</button>`)}</div></div>
			<${Shown} answer=${ranking}>${found => html`<${Ranking} found=${found} by=${by} query=${query}/>`}<//></section>
			<section><h2>Which codes</h2><${Shown} answer=${codes}>${found => html`<${Codes} found=${found} query=${query}/>`}<//>
			<h2>When</h2><${Shown} answer=${rows}>${found => html`<${Curve} items=${found.items} whole=${found.whole} since=${since}/>`}<//></section></div>
		<section><h2>The newest failures</h2><form class="filters" onSubmit=${e => e.preventDefault()} aria-label="Filters of the newest failures">
			<${Choice} label="Class" value=${query.class} of=${[['', 'all'], ...classes.slice(0, 4).map(c => [c.name, c.word])]} onChange=${set('class')}/>
			<${Entry} label="Code" value=${query.code} size=${5} onChange=${set('code')}/><${Legend} of=${classes.slice(0, 4)}/></form>
			<${Rows} answer=${rows} label="Failures" empty=${html`<p>No Task failed by itself in this time range. Tasks that others cut short do not count.</p>`}/></section>`
}

// standsOut is true if a group fails at least half as often again as the rest, also by the lower end of the 95 % confidence interval.
const standsOut = r => r.liftAtLeast > 1.5 && r.failed >= 3

const times = lift => lift > 0 ? `${lift.toLocaleString(undefined, {maximumFractionDigits: lift < 10 ? 1 : 0})} ×` : '–'

// periodOf are the days that an answer counts, for links to its rows.
const periodOf = found => ({since: found.since, until: found.until})

const days = found => `${utc(found.since).slice(0, 10)} to ${utc(Date.parse(found.until) - 1).slice(0, 10)}, UTC`

const mostGroups = 12

function Ranking({found, by, query}) {
	if (found.failed === 0) return html`<${Empty}><h2>Nothing failed</h2><p>No Task failed by itself from ${days(found)}. Tasks that others cut short do not count.</p><//>`
	if (found.rows.length === 0) return html`<p class="dim">No failure was decided by a rule.</p>`
	const most = Math.max(...found.rows.map(r => Math.max(r.rate, r.baseRate)))
	const rowsOf = r => ({namespace: query.namespace, ...periodOf(found), ...(by === 'rule' ? {plugin: r.plugin, rule: r.rule} : {[by]: r.group})})
	const all = {namespace: query.namespace, ...periodOf(found)}
	const compared = by === 'rule' ? 'Compared with the same time before.' : `Compared with all other ${groupings[by].word.toLowerCase()}.`
	return html`<p class="dim"><a class="quiet" href=${toTasks({...all, failed: 'true'})}>${plural(found.failed, 'failure')}</a> in <a class="quiet" href=${toTasks(all)}>${plural(found.attempts, 'attempt')}</a> of Tasks from ${days(found)}. ${compared} The first row is the least likely to be chance.</p>
		<div class="scroll" tabindex="0" role="region" aria-label="Ranking"><table class="rows"><thead><tr><th>${groupings[by].one}</th><th class="number">Failed</th><th class="number">Attempts</th><th class="number">Rate</th><th></th><th class="number">${groupings[by].with}</th>
			<th class="number" title="how many times as often it fails">Lift</th><th class="number" title="the lift with the lower end of the 95 % confidence interval of the rate (Wilson)">At least</th></tr></thead>
		<tbody>${found.rows.slice(0, mostGroups).map(r => html`<tr key=${r.group} class=${standsOut(r) ? 'stands-out' : ''}><td class="group"><${Group} of=${r} by=${by} query=${query}/></td>
			<td class="number"><a class="quiet" href=${toTasks({...rowsOf(r), failed: 'true'})}>${count(r.failed)}</a></td>
			<td class="number"><a class="quiet" href=${toTasks(by === 'rule' ? all : rowsOf(r))}>${count(r.attempts)}</a></td><td class="number">${percent(r.rate)}</td>
			<td class="gauge" aria-hidden="true"><i style=${{width: 100 * r.rate / (most || 1) + '%'}}></i><b style=${{left: 100 * r.baseRate / (most || 1) + '%'}}></b></td>
			<td class="number" title=${r.baseAttempts ? `${count(r.baseFailed)} of ${count(r.baseAttempts)} attempts` : 'there is nothing to compare with'}>${r.baseAttempts ? percent(r.baseRate) : '–'}</td>
			<td class="number">${times(r.lift)}</td><td class="number">${times(r.liftAtLeast)}</td></tr>`)}</tbody></table></div>
		<p class="foot">${found.rows.length > mostGroups && `The first ${mostGroups} of ${count(found.rows.length)}. `}The bar is the rate, and the line across it the rate that it is compared with.</p>`
}

function Group({of, by, query}) {
	const name = by === 'rule' ? html`<${Text} of=${of.rule || 'without a rule'} most=${80}/> <span class="dim"><${Text} of=${of.plugin} most=${60}/></span>` : html`<${Text} of=${of.group || 'none'} most=${80}/>`
	return html`${by === 'node' && of.group ? html`<a href=${toNode(of.group, {namespace: query.namespace, since: query.since})}>${name}</a>` : name}${standsOut(of) && html` <span class="alarm">stands out</span>`}`
}

const mostCodes = 8

function Codes({found, query}) {
	const rows = [...found.rows].sort((a, b) => b.failed - a.failed)
	if (rows.length === 0) return html`<p class="dim">None.</p>`
	return html`<div class="scroll" tabindex="0" role="region" aria-label="Codes"><table class="rows"><thead><tr><th>Code</th><th class="number">Failures</th><th class="number" title="in the time of the same length before">Before</th></tr></thead><tbody>${rows.slice(0, mostCodes).map(({group, completion: c, ...r}) => html`<tr key=${group}>
		<td><${Sign} of=${classOf(c)}/><a href=${toTasks({namespace: query.namespace, ...periodOf(found), code: c.code, failed: 'true'})}>${c.code} <${Text} of=${c.phrase} most=${60}/></a> <span class="dim">${classOf(c).word}</span>${r.baseAttempts > 0 && standsOut(r) && html` <span class="alarm">more than before</span>`}</td>
		<td class="number">${count(r.failed)}</td><td class="number">${r.baseAttempts ? count(r.baseFailed) : '–'}</td></tr>`)}</tbody></table></div>${rows.length > mostCodes && html`<p class="foot">The first ${mostCodes} of ${count(rows.length)}.</p>`}`
}

const bins = 60

// beginOf is the beginning of the curve: a little before the first failure, so that failures of a short time do not share one bar.
function beginOf(items, since, now) {
	const first = items.reduce((first, t) => Math.min(first, ms(t.ended)), now)
	return Math.max(Date.parse(since), Math.min(first - .05 * (now - first), now - 600_000))
}

// binned counts failures by class in bins, which are equal parts of the time.
function binned(items, since, now) {
	const from = beginOf(items, since, now) / 1000, to = now / 1000, width = (to - from) / bins
	const times = Array.from({length: bins}, (_, i) => from + (i + .5) * width)
	const counts = classes.slice(0, 4).map(c => ({of: c, values: new Array(bins).fill(0)}))
	for (const t of items) {
		const of = counts.find(c => c.of.name === classOf(t.completion).name), i = Math.floor((Date.parse(t.ended) / 1000 - from) / width)
		if (of && i >= 0 && i < bins) of.values[i]++
	}
	return {times, counts: counts.filter(c => c.values.some(Boolean))}
}

// wordsOf returns a function that words the times of an axis: hours within two days, else days.
function wordsOf(times) {
	const days = times.at(-1) - times[0] > 2 * 86_400
	const form = new Intl.DateTimeFormat(undefined, days ? {month: 'short', day: '2-digit'} : {hour: '2-digit', minute: '2-digit', hourCycle: 'h23'})
	return seconds => form.format(seconds * 1000)
}

function Curve({items, whole, since}) {
	const at = useRef()
	useEffect(() => {
		let plot
		const draw = () => {
			plot?.destroy()
			if (!at.current) return // the view is gone
			const style = getComputedStyle(at.current), colours = coloursOf(at.current, ['line', ...classes.map(c => c.name)])
			const {times, counts} = binned(items, since, Date.now())
			// Each series includes the ones before it, and the highest is drawn first.
			const stacked = counts.map((_, i) => times.map((_, j) => counts.slice(0, i + 1).reduce((n, c) => n + c.values[j], 0))).reverse()
			const named = [...counts].reverse()
			const line = {stroke: style.color, grid: {stroke: colours.line, width: 1}, ticks: {show: false}, font: `11px ${style.fontFamily}`}
			plot = new uPlot({width: Math.max(240, at.current.clientWidth), height: 160, legend: {show: false}, cursor: {show: false}, padding: [8, 20, 0, 0],
				series: [{}, ...named.map(c => ({label: c.of.word, fill: colours[c.of.name], stroke: colours[c.of.name], width: 0, paths: uPlot.paths.bars({size: [.9, 40]}), points: {show: false}}))],
				scales: {y: {range: (_, __, max) => [0, Math.max(1, max)]}}, axes: [{...line, grid: {show: false}, values: (_, splits) => splits.map(wordsOf(splits))}, {...line, size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000]}]}, [times, ...stacked], at.current)
		}
		draw()
		const resized = new ResizeObserver(draw)
		resized.observe(at.current.parentNode)
		addEventListener('theme', draw)
		const dark = matchMedia('(prefers-color-scheme: dark)')
		dark.addEventListener('change', draw)
		return () => { resized.disconnect(); removeEventListener('theme', draw); dark.removeEventListener('change', draw); plot?.destroy() }
	}, [items, since])
	return html`<div class="curve" ref=${at} role="img" aria-label=${`${plural(items.length, 'failure')} over the time range; the table above has the counts by code`}></div>${!whole && html`<p class="foot">Of the newest ${count(items.length)} failures.</p>`}`
}
