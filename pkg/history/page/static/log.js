// The logs of the containers of an attempt of a Task, with colors, a search, and an address for each line.
import {Shown, useAnswer} from './answer.js'
import {get, offers, request} from './api.js'
import {html, useEffect, useMemo, useState} from './html.js'
import {Choice, useChoices} from './route.js'
import {clock, count, isLink, ms, plural, Text, utc, visible} from './text.js'
import {useVirtual} from './virtual.js'
import {AnsiUp} from './vendor/ansi-up.js'

// Parts collects the parts of a line, which the library would write as HTML.
class Parts extends AnsiUp {
	parts = []
	transform_to_html(part) {
		this.parts.push(part)
		return ''
	}
	process_hyperlink({url, text}) {
		this.parts.push({text, url})
		return ''
	}
}

const nameOf = colour => colour && (colour.class_name === 'truecolor' || colour.class_name.startsWith('palette') ? undefined : colour.class_name)

// Line draws one line. Each begins without colors, so that lines can be drawn in any order.
export function Line({text}) {
	if (!text.includes('\u001b')) return visible(text)
	const up = new Parts()
	up.use_classes = true
	up.ansi_to_html(text + '\n') // a sequence that is not complete is held back otherwise
	return up.parts.map(({text, url, fg, bg, bold, faint, italic, underline}) => {
		const shown = visible(text.replace(/\n$/, ''))
		if (url) return isLink(url) ? html`<a href=${url} rel="noopener noreferrer" target="_blank">${shown}</a>` : shown
		const names = [nameOf(fg) && nameOf(fg) + '-fg', nameOf(bg) && nameOf(bg) + '-bg', bold && 'ansi-bold', faint && 'ansi-faint', italic && 'ansi-italic', underline && 'ansi-underline'].filter(Boolean)
		const style = {}
		if (fg && !nameOf(fg)) style.color = `rgb(${fg.rgb.join(',')})`
		if (bg && !nameOf(bg)) style.backgroundColor = `rgb(${bg.rgb.join(',')})`
		return html`<span class=${names.join(' ')} style=${style}>${shown}</span>`
	})
}

// The log of the containers of an attempt of a Task, with search and an address for each line.

export function Log({of, t, query}) {
	const key = `logs ${of.uid} ${t.frameworkAttempt} ${t.role} ${t.index} ${t.attempt}`
	const answer = useAnswer(key, async ({signal}) => {
		if (!await offers('frameworks/{namespace}/{name}/logs')) return []
		try {
			const page = await get(['frameworks', of.namespace, of.name, 'logs'], {uid: of.uid, attempt: t.frameworkAttempt, role: t.role, index: t.index, limit: 1000}, {signal})
			return page.items.filter(l => l.attempt === t.attempt && (!t.podUID || l.podUID === t.podUID))
		} catch (e) {
			if (e.status === 404) return []
			throw e
		}
	})
	return html`<section class="log"><${Shown} answer=${answer}>${logs => html`<${Kept} of=${of} t=${t} logs=${logs} query=${query}/>`}<//></section>`
}

const sizeOf = n => n < 1024 ? `${n} bytes` : n < 2 ** 20 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / 2 ** 20).toFixed(1)} MiB`

function Kept({of, t, logs, query}) {
	const [, choose] = useChoices()
	const there = logs.filter(l => l.state !== 'none')
	if (there.length === 0) {
		return html`<h3>Log</h3><p class="dim">${logs[0]?.error ? html`No log is kept: <${Text} of=${logs[0].error}/>` : 'No log is kept of this attempt: the server collects none, or there was none when its Pod ended.'}</p>`
	}
	const nameOf = l => l.container + (l.previous ? ` (start ${l.start})` : '')
	const log = there.find(l => nameOf(l) === query.container) ?? there.find(l => !l.init && !l.previous) ?? there[0]
	return html`<div class="filters"><h3>Log</h3>${there.length > 1 && html`<${Choice} label="Container" value=${nameOf(log)} of=${there.map(l => [nameOf(l), nameOf(l)])} onChange=${container => choose({container, line: ''})}/>`}
		<p class="dim">${sizeOf(log.bytes)}${log.state === 'reading' ? ', still being read' : log.state === 'cut' ? html`, cut: <${Text} of=${log.error ?? ''}/>` : ''}${
			log.truncated && `, of which the middle is not kept (${log.truncated.skippedBytes < 0 ? 'how much, nobody knows' : sizeOf(log.truncated.skippedBytes)})`}</p></div>
		<${Lines} key=${nameOf(log)} of=${of} t=${t} log=${log} query=${query}/>`
}

// mostText is the number of characters that are read of a log.
const mostText = 32 * 2 ** 20

async function read(of, t, log, signal) {
	const answer = await request(['frameworks', of.namespace, of.name, 'tasks', t.role, String(t.index), 'log'],
		{uid: of.uid, attempt: t.frameworkAttempt, taskAttempt: t.attempt, container: log.container, previous: log.previous, timestamps: 'true'}, {signal})
	const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
	let text = ''
	for (;;) {
		const {value, done} = await reader.read()
		if (done) return {text, whole: true}
		text += value
		if (text.length > mostText) {
			reader.cancel()
			return {text, whole: false}
		}
	}
}

const stamped = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) /

function Lines({of, t, log, query}) {
	const answer = useAnswer(`log ${of.uid} ${t.frameworkAttempt} ${t.role} ${t.index} ${t.attempt} ${log.container} ${log.previous}`, async ({signal}) => {
		const {text, whole} = await read(of, t, log, signal)
		const lines = text.split('\n')
		if (lines.at(-1) === '') lines.pop()
		return {lines: lines.map(line => {
			const at = stamped.exec(line)
			return at ? {at: at[1], text: line.slice(at[0].length)} : {text: line}
		}), whole}
	})
	return html`<${Shown} answer=${answer}>${({lines, whole}) => html`<${Pane} lines=${lines} whole=${whole} chosen=${Number(query.line) || 0}/>`}<//>`
}

const mostLine = 5000 // characters of a line

function Pane({lines, whole, chosen}) {
	const [, choose] = useChoices()
	const [search, setSearch] = useState('')
	const hits = useMemo(() => search ? lines.flatMap((l, i) => l.text.toLowerCase().includes(search.toLowerCase()) ? [i] : []) : [], [lines, search])
	const [hit, setHit] = useState(0)
	const {element, rows, total, scrollTo} = useVirtual(lines.length, 18)
	useEffect(() => scrollTo((chosen || lines.length) - 1), [lines])
	const show = n => {
		const next = (n + hits.length) % hits.length
		setHit(next)
		scrollTo(hits[next])
	}
	useEffect(() => { if (hits.length) show(hits.length - 1) }, [hits])
	return html`<div class="filters"><label class="field"><span>Search in ${plural(lines.length, 'line')}</span><input type="search" value=${search} onInput=${e => setSearch(e.target.value)}
			onKeyDown=${e => e.key === 'Enter' && hits.length && show(e.shiftKey ? hit - 1 : hit + 1)}/></label>
		${search && html`<p role="status" class="dim">${hits.length ? `${count(hit + 1)} of ${plural(hits.length, 'line')}` : 'on no line'}</p>
			<button disabled=${!hits.length} onClick=${() => show(hit - 1)} aria-label="line before">↑</button><button disabled=${!hits.length} onClick=${() => show(hit + 1)} aria-label="next line">↓</button>`}
		${!whole && html`<p class="dim">These are the first ${count(lines.length)} lines. kubectl framework logs has all.</p>`}</div>
		<div class="pane mono" ref=${element} tabindex="0" role="region" aria-label="Log"><div style=${{height: total + 'px', position: 'relative'}}>${rows.map(({index, start}) => {
			const line = lines[index]
			return html`<div key=${index} class=${'line' + (index === chosen - 1 ? ' chosen' : '') + (hits.length && hits[hit] === index ? ' hit' : '')} style=${{transform: `translateY(${start}px)`}}>
				<button class="nr" tabindex="-1" title="address of this line" onClick=${() => choose({line: index + 1})}>${index + 1}</button>${
				line.at && html`<time title=${utc(ms(line.at))}>${clock(line.at)}</time>`}<span><${Line} text=${line.text.slice(0, mostLine)}/>${line.text.length > mostLine && html` <span class="dim">… ${count(line.text.length)} characters</span>`}</span></div>`
		})}</div></div>`
}
