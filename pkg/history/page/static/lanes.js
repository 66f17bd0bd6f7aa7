// Lanes on a canvas: one for each Task, with a bar for each attempt. Only what is seen is drawn. Many Tasks of a role fold into one lane that
// shows how many of them run at each time.
import {html, useEffect, useMemo, useRef, useState} from './html.js'
import {classes, coloursOf, phases} from './outcome.js'
import {go} from './route.js'
import {clock, count, duration, plain} from './text.js'

const lane = 18, band = 64, left = 168, axis = 28

// A lane is {label, bars} or, folded, {label, bars, folded: true, unfold}. A bar is {from, to, phases, class, href, words, first, task}.
// Marks are {at, word}, across all lanes.
export function Lanes({lanes, marks = [], label}) {
	const canvas = useRef(), scroll = useRef()
	const extent = useMemo(() => extentOf(lanes, marks), [lanes, marks])
	const [view, setView] = useState(extent)
	const [over, setOver] = useState(null)
	const [size, setSize] = useState({width: 800, height: 400})
	const [top, setTop] = useState(0)
	const [theme, setTheme] = useState(0)
	const drawing = useRef(), look = useRef()
	useEffect(() => setView(extent), [extent.from, extent.to])
	const tops = useMemo(() => topsOf(lanes), [lanes])
	const height = tops.at(-1)

	useEffect(() => {
		const seen = new ResizeObserver(([e]) => setSize({width: e.contentRect.width, height: e.contentRect.height}))
		seen.observe(scroll.current)
		const again = () => setTheme(n => n + 1)
		const dark = matchMedia('(prefers-color-scheme: dark)')
		addEventListener('theme', again)
		dark.addEventListener('change', again)
		return () => { seen.disconnect(); removeEventListener('theme', again); dark.removeEventListener('change', again) }
	}, [])
	useEffect(() => {
		cancelAnimationFrame(drawing.current)
		drawing.current = requestAnimationFrame(() => {
			if (!canvas.current) return
			if (look.current?.theme !== theme) look.current = {theme, ...lookOf(canvas.current)}
			draw(canvas.current, {lanes, tops, marks, view, size, top, over, look: look.current})
		})
	}, [lanes, tops, marks, view, size, top, over, theme])

	const zoom = (factor, at = (view.from + view.to) / 2) => setView(limited({from: at - (at - view.from) * factor, to: at + (view.to - at) * factor}, extent))
	const pan = share => setView(limited({from: view.from + share * (view.to - view.from), to: view.to + share * (view.to - view.from)}, extent))
	const timeAt = x => view.from + (x - left) / (size.width - left) * (view.to - view.from)
	const hit = e => {
		const box = canvas.current.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top - axis + top
		const i = laneAt(tops, y)
		if (i < 0 || i >= lanes.length || e.clientY - box.top < axis) return null
		if (x < left || lanes[i].folded) return {lane: i}
		const at = timeAt(x), slack = 3 * (view.to - view.from) / size.width
		return {lane: i, bar: lanes[i].bars.find(b => at >= b.from - slack && at <= b.to + slack)}
	}
	const drag = useRef(null)
	const keys = {'+': () => zoom(1 / 1.5), '=': () => zoom(1 / 1.5), '-': () => zoom(1.5), ArrowLeft: () => pan(-.15), ArrowRight: () => pan(.15), 0: () => setView(extent), Home: () => setView(extent),
		ArrowDown: () => choose(1), ArrowUp: () => choose(-1), Enter: () => open(over)}
	const choose = step => {
		const all = lanes.flatMap((l, i) => l.folded ? [{lane: i}] : l.bars.map(bar => ({lane: i, bar})))
		const now = over ? all.findIndex(h => h.lane === over.lane && h.bar === over.bar) : -1
		const next = all[Math.min(all.length - 1, Math.max(0, now + step))]
		if (!next) return
		setOver(next)
		scroll.current.scrollTop = Math.max(0, Math.min(tops[next.lane] - size.height / 2 + axis, height))
	}
	const open = h => {
		if (!h) return
		if (h.bar) go(h.bar.href)
		else if (lanes[h.lane].unfold) lanes[h.lane].unfold()
		else go(lanes[h.lane].bars[0].href)
	}
	const turn = useRef()
	turn.current = e => {
		if (!e.ctrlKey && !e.metaKey && !e.shiftKey) return
		e.preventDefault()
		if (e.shiftKey) pan((e.deltaX || e.deltaY) / 800)
		else zoom(Math.exp(e.deltaY / 300), timeAt(e.clientX - canvas.current.getBoundingClientRect().left))
	}
	useEffect(() => {
		// A listener of preact is passive; this one keeps the page from scrolling while it zooms.
		const wheel = e => turn.current(e), at = scroll.current
		at.addEventListener('wheel', wheel, {passive: false})
		return () => at.removeEventListener('wheel', wheel)
	}, [])
	const words = over ? over.bar ? over.bar.words : `${plain(lanes[over.lane].label)}: ${count(lanes[over.lane].bars.length)} attempts` : ''
	return html`<figure class="lanes"><div class="filters"><button onClick=${() => zoom(1 / 1.5)} aria-label="zoom in">+</button><button onClick=${() => zoom(1.5)} aria-label="zoom out">−</button>
			<button onClick=${() => pan(-.3)} aria-label="earlier">←</button><button onClick=${() => pan(.3)} aria-label="later">→</button><button onClick=${() => setView(extent)}>Whole time</button>
			<ul class="legend">${phases.map(p => html`<li key=${p.name} title=${p.about}><i class=${'dot phase ' + p.name}></i>${p.word}</li>`)}</ul></div>
		<div class="scroll" ref=${scroll} onScroll=${e => setTop(e.target.scrollTop)} style=${{height: `min(${height + axis + (marks.length ? 20 : 2)}px, max(240px, calc(100vh - 420px)))`}}
			tabindex="0" role="application" aria-label=${`${label}. Arrows up and down choose an attempt, Enter opens it, + and − zoom, arrows left and right move.`}
			onKeyDown=${e => { const f = keys[e.key]; if (f && !e.ctrlKey && !e.metaKey) { e.preventDefault(); f() } }}
			onPointerDown=${e => { if (e.button === 0) drag.current = {x: e.clientX, view, moved: false} }}
			onPointerMove=${e => {
				if (!drag.current) { const h = hit(e); if (h?.lane !== over?.lane || h?.bar !== over?.bar) setOver(h); return }
				const moved = e.clientX - drag.current.x
				if (Math.abs(moved) < 4 && !drag.current.moved) return
				drag.current.moved = true
				const by = moved / (size.width - left) * (drag.current.view.to - drag.current.view.from)
				setView(limited({from: drag.current.view.from - by, to: drag.current.view.to - by}, extent))
			}}
			onPointerUp=${e => { const d = drag.current; drag.current = null; if (d && !d.moved) open(hit(e)) }}
			onPointerLeave=${() => { drag.current = null; setOver(null) }}>
			<canvas ref=${canvas} aria-hidden="true"></canvas><div style=${{height: Math.max(0, height + axis + (marks.length ? 18 : 0) - size.height) + 'px'}}></div></div>
		<figcaption role="status" class="over">${words || '\u00a0'}</figcaption></figure>`
}

// lookOf resolves colours and font of the page, which takes too long for each frame.
const lookOf = canvas => ({font: getComputedStyle(canvas).fontFamily,
	colours: coloursOf(canvas, ['ground', 'raised', 'line', 'ink', 'dim', 'alarm', 'accent', ...classes.map(c => c.name), ...phases.map(p => 'phase-' + p.name)])})

function topsOf(lanes) {
	const tops = [0]
	for (const l of lanes) tops.push(tops.at(-1) + (l.folded ? band : lane))
	return tops
}

function extentOf(lanes, marks) {
	let from = Infinity, to = -Infinity
	for (const l of lanes) for (const b of l.bars) { if (b.from < from) from = b.from; if (b.to > to) to = b.to }
	for (const m of marks) { if (m.at < from) from = m.at; if (m.at > to) to = m.at }
	if (from > to) return {from: 0, to: 1}
	const edge = Math.max(to - from, 1) * .01
	return {from: from - edge, to: to + edge}
}

// limited keeps a part of the time within the whole, and no smaller than 10 ms.
function limited({from, to}, whole) {
	const length = Math.min(Math.max(to - from, 10), whole.to - whole.from)
	const begin = Math.min(Math.max(from, whole.from), whole.to - length)
	return {from: begin, to: begin + length}
}

// laneAt finds the lane at a height.
function laneAt(tops, y) {
	let low = 0, high = tops.length - 1
	while (low < high) {
		const middle = (low + high + 1) >> 1
		if (tops[middle] <= y) low = middle
		else high = middle - 1
	}
	return y < 0 || y >= tops.at(-1) ? -1 : low
}

function draw(canvas, {lanes, tops, marks, view, size, top, over, look: {colours, font}}) {
	const ratio = devicePixelRatio || 1, c = canvas.getContext('2d')
	const width = Math.round(size.width * ratio), high = Math.round(size.height * ratio)
	if (canvas.width !== width || canvas.height !== high) { // which would make a new picture
		canvas.width = width
		canvas.height = high
		canvas.style.width = size.width + 'px'
		canvas.style.height = size.height + 'px'
	}
	c.setTransform(ratio, 0, 0, ratio, 0, 0)
	c.fillStyle = colours.ground
	c.fillRect(0, 0, size.width, size.height)
	c.font = `12px ${font}`
	c.textBaseline = 'middle'
	const x = at => left + (at - view.from) / (view.to - view.from) * (size.width - left)
	c.save()
	c.beginPath()
	c.rect(0, axis, size.width, size.height - axis)
	c.clip()
	const first = Math.max(0, laneAt(tops, Math.max(0, top))), scale = {x, view, size, colours}
	for (let i = first; i < lanes.length && tops[i] - top < size.height; i++) {
		const y = tops[i] - top + axis
		if (over?.lane === i) {
			c.fillStyle = colours.raised
			c.fillRect(0, y, size.width, lanes[i].folded ? band : lane)
		}
		if (lanes[i].folded) drawBand(c, lanes[i], y, scale)
		else drawLane(c, lanes[i], y, over?.lane === i ? over.bar : null, scale)
		c.fillStyle = colours.ink
		c.fillText(fitted(c, plain(lanes[i].label), left - 12), 0, y + (lanes[i].folded ? band / 2 : lane / 2))
	}
	drawMarks(c, marks, scale)
	c.restore()
	drawAxis(c, scale)
}

const fitted = (c, text, width) => {
	if (c.measureText(text).width <= width) return text
	while (text.length > 1 && c.measureText(text + '…').width > width) text = text.slice(0, -1)
	return text + '…'
}

function drawLane(c, {bars}, y, chosen, {x, view, size, colours}) {
	for (const b of bars) {
		if (b.to < view.from || b.from > view.to) continue
		for (const p of b.phases) {
			const from = Math.max(left, x(p.from)), to = Math.min(size.width, x(p.to))
			if (to < from) continue
			c.fillStyle = colours['phase-' + p.phase.name]
			c.fillRect(from, y + 4, Math.max(to - from, .5), lane - 8)
		}
		const end = x(b.to)
		if (end >= left && end <= size.width + 8) drawEnd(c, b, end, y, colours)
		if (b === chosen) {
			c.strokeStyle = colours.accent
			c.lineWidth = 2
			c.strokeRect(Math.max(left, x(b.from)), y + 2, Math.max(3, x(b.to) - Math.max(left, x(b.from))), lane - 4)
		}
	}
}

// drawEnd draws the class of an outcome where a bar ends, with its sign.
function drawEnd(c, b, x, y, colours) {
	const size = 12, at = Math.max(left, x - size)
	c.fillStyle = colours[b.class.name]
	c.fillRect(at, y + 3, size, size)
	c.fillStyle = b.class.name === 'running' ? '#fff' : '#000'
	c.save()
	c.font = '700 9px "DejaVu Sans", system-ui, sans-serif'
	c.textAlign = 'center'
	c.fillText(b.class.sign, at + size / 2, y + 9.5)
	c.restore()
	if (b.first) {
		c.strokeStyle = colours.alarm
		c.lineWidth = 2
		c.strokeRect(at - 2, y + 1, size + 4, size + 4)
	}
}

// drawBand draws how many of many Tasks run at each time, and below it how many ended by themselves without success.
function drawBand(c, l, y, {x, view, size, colours}) {
	const {running, waiting, ends, most, first} = l.density ??= densityOf(l.bars)
	const width = Math.max(1, Math.floor(size.width - left)), tall = band - 24, step = (view.to - view.from) / width
	const base = y + 6 + tall
	// Columns of equal heights are drawn as one.
	let begun = 0, high = -1, more = -1
	const close = to => {
		c.fillStyle = colours['phase-ran']
		if (high > 0) c.fillRect(left + begun, base - high, to - begun, high)
		c.fillStyle = colours['phase-queued']
		if (more > 0) c.fillRect(left + begun, base - high - more, to - begun, more)
	}
	for (let i = 0; i < width; i++) {
		const from = view.from + i * step, to = from + step
		const r = Math.round(Math.min(1, within(running, from, to) / most) * tall * 4) / 4
		const w = Math.min(tall - r, Math.round(Math.min(1, within(waiting, from, to) / most) * tall * 4) / 4)
		if (r === high && w === more) continue
		close(i)
		begun = i
		high = r
		more = w
	}
	close(width)
	for (const {name} of [...classes].reverse()) {
		const of = ends.get(name)
		if (!of) continue
		c.fillStyle = colours[name]
		let next = before(of, view.from)
		while (next < of.length && of[next] <= view.to) {
			const i = Math.min(width - 1, Math.floor((of[next] - view.from) / step))
			c.fillRect(left + i - 1, y + band - 16, 2, 10)
			next = before(of, view.from + (i + 1) * step, next + 1)
		}
	}
	if (first && first.to >= view.from && first.to <= view.to) {
		c.strokeStyle = colours.alarm
		c.lineWidth = 2
		c.strokeRect(x(first.to) - 3, y + band - 18, 6, 14)
	}
}

// densityOf sorts the times of many bars, so that a band can be drawn for each part of the time without a look at every bar.
function densityOf(bars) {
	const running = {from: [], to: []}, waiting = {from: [], to: []}, ends = new Map(), tasks = new Set()
	for (const b of bars) {
		for (const p of b.phases) {
			const of = p.phase.name === 'ran' ? running : waiting
			of.from.push(p.from)
			of.to.push(p.to)
		}
		const name = b.class.name
		if (!ends.has(name)) ends.set(name, [])
		ends.get(name).push(b.to)
		tasks.add(b.task)
	}
	const sorted = times => Float64Array.from(times).sort()
	for (const [name, times] of ends) ends.set(name, sorted(times))
	return {running: {from: sorted(running.from), to: sorted(running.to)}, waiting: {from: sorted(waiting.from), to: sorted(waiting.to)}, ends,
		most: Math.max(1, tasks.size), first: bars.find(b => b.first)}
}

// within counts the phases of which a part is between two times.
const within = (of, from, to) => before(of.from, to) - before(of.to, from)

// before returns how many of sorted times are before a time; those below low are known to be.
function before(times, at, low = 0) {
	let high = times.length
	while (low < high) {
		const middle = (low + high) >> 1
		if (times[middle] < at) low = middle + 1
		else high = middle
	}
	return low
}

function drawMarks(c, marks, {x, view, size, colours}) {
	c.strokeStyle = colours.dim
	c.lineWidth = 1
	c.setLineDash([2, 3])
	for (const m of marks) {
		if (m.at < view.from || m.at > view.to) continue
		c.beginPath()
		c.moveTo(x(m.at) + .5, axis)
		c.lineTo(x(m.at) + .5, size.height)
		c.stroke()
	}
	c.setLineDash([])
	// Words where there is room for them, below the lanes.
	if (marks.length) {
		c.fillStyle = colours.ground
		c.fillRect(0, size.height - 18, size.width, 18)
	}
	c.fillStyle = colours.dim
	let free = left
	for (const m of marks.toSorted((a, b) => a.at - b.at)) {
		const word = plain(m.word), at = Math.min(x(m.at) + 4, size.width - c.measureText(word).width - 2)
		if (m.at < view.from || m.at > view.to || at < free) continue
		c.fillText(word, at, size.height - 9)
		free = at + c.measureText(word).width + 8
	}
}

const steps = [10, 50, 100, 500, 1e3, 5e3, 15e3, 60e3, 300e3, 900e3, 3600e3, 3 * 3600e3, 6 * 3600e3, 86400e3, 2 * 86400e3, 7 * 86400e3, 30 * 86400e3, 365 * 86400e3]

function drawAxis(c, {x, view, size, colours}) {
	const step = steps.find(s => s / (view.to - view.from) * (size.width - left) > 110) ?? steps.at(-1)
	const offset = new Date(view.from).getTimezoneOffset() * 60e3
	c.fillStyle = colours.ground
	c.fillRect(0, 0, size.width, axis)
	c.fillStyle = colours.dim
	c.strokeStyle = colours.line
	c.lineWidth = 1
	c.fillText(duration(view.to - view.from), 0, axis / 2)
	for (let at = Math.ceil((view.from - offset) / step) * step + offset; at <= view.to; at += step) {
		const word = step < 1000 ? `${clock(at)}.${String(at % 1000).padStart(3, '0')}` : tick(at, step)
		if (x(at) + 4 + c.measureText(word).width <= size.width) c.fillText(word, x(at) + 4, axis / 2)
		c.beginPath()
		c.moveTo(x(at) + .5, 6)
		c.lineTo(x(at) + .5, axis)
		c.stroke()
	}
	c.beginPath()
	c.moveTo(0, axis - .5)
	c.lineTo(size.width, axis - .5)
	c.stroke()
}

const dayTick = new Intl.DateTimeFormat(undefined, {month: 'short', day: '2-digit'})
const minuteTick = new Intl.DateTimeFormat(undefined, {hour: '2-digit', minute: '2-digit', hourCycle: 'h23'})
const secondTick = new Intl.DateTimeFormat(undefined, {hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23'})

const tick = (at, step) => (step >= 86400e3 || new Date(at).getHours() + new Date(at).getMinutes() === 0 && step >= 60e3 ? dayTick : step >= 60e3 ? minuteTick : secondTick).format(at)
