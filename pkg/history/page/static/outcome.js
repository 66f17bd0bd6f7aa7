// How an attempt ended, and its phases. Each class has a sign, a word and a color, and each phase a word and a color.
import {html} from './html.js'
import {count, duration, ms, plain, Text} from './text.js'

// The most telling class comes first. The colors are in page.css; coloursOf reads them for canvases.
export const classes = [
	{name: 'permanent', word: 'permanent', sign: '✕', about: 'another attempt would fail in the same way'},
	{name: 'unknown', word: 'unknown', sign: '?', about: 'nothing says whether another attempt would fail'},
	{name: 'transient', word: 'transient', sign: '↻', about: 'another attempt may well succeed'},
	{name: 'conflict', word: 'conflict', sign: '⇄', about: 'it competed for resources'},
	{name: 'cut', word: 'cut short', sign: '∕', about: 'others ended it; it is no failure of its own'},
	{name: 'running', word: 'not ended', sign: '▸', about: 'it runs, or waits for something'},
	{name: 'succeeded', word: 'succeeded', sign: '✓', about: ''},
]
export const byName = Object.fromEntries(classes.map((c, rank) => [c.name, {...c, rank}]))

// The codes of attempts that did not fail by themselves: the Framework's attempt ended, or they were stopped, deleted, restarted with their
// peers, suspended or evicted.
const endedByOthers = new Set([-210, -220, -230, -240, -241, -250, -251])

// classOf returns the class of a completion, or of a count of equal ones. Without a completion, it is running.
export function classOf(completion) {
	if (!completion || !completion.type) return byName.running
	const attributes = completion.attributes ?? []
	if (completion.type === 'Succeeded') return byName.succeeded
	if (endedByOthers.has(completion.code)) return byName.cut
	if (attributes.includes('Permanent')) return byName.permanent
	if (attributes.includes('Conflict')) return byName.conflict
	if (attributes.includes('Transient')) return byName.transient
	return byName.unknown
}

export const isFailure = completion => classOf(completion).rank <= byName.conflict.rank

// Sign is the colored square of a class.
export const Sign = ({of}) => html`<span class="sign ${of.name}" aria-hidden="true">${of.sign}</span>`

// Outcome shows a completion: its sign, its code and phrase, and the word of its class for readers who do not see colors.
export function Outcome({of, words = true}) {
	const c = classOf(of)
	const text = c === byName.running || c === byName.succeeded ? c.word : `${of.code} ${plain(of.phrase || of.type)}`
	return html`<span class="outcome" title=${c.word + (c.about && ': ' + c.about)}><${Sign} of=${c}/>${words ? text : html`<span class="unseen">${text}</span>`}${
		c.rank < byName.running.rank && words ? html` <span class="dim">${c.word}</span>` : null}</span>`
}

// State is the state of a Framework in the cluster, or else in the history.
export const State = ({of}) => of.live
	? html`<span class="live" title="as the cluster says now"><${Text} of=${of.state}/>${of.running !== undefined && html` <span class="dim">${count(of.running)} of ${count(of.tasks)} run</span>`}</span>`
	: of.state === 'Completed' || of.state === 'Deleted' ? html`<span class=${of.state === 'Deleted' ? 'dim' : ''}>${of.state}</span>`
	: html`<span class="dim" title="The history notes the begin and the end of a Framework. kubectl framework ui shows the state between them.">–</span>`

export const Legend = ({of = classes}) => html`<ul class="legend" aria-label="What the colours mean">${of.map(c =>
	html`<li key=${c.name} title=${c.about}><${Sign} of=${c}/>${c.word}</li>`)}</ul>`

// The phases of an attempt of a Task, by the times in its record. Clocks may disagree: a time that is missing, or earlier than the time before
// it, ends no phase.

export const phases = [
	{name: 'queued', word: 'queued', about: 'until it had a node', ends: 'scheduled'},
	{name: 'pulling', word: 'preparing', about: 'images, volumes, init containers, and the wait at the barrier', ends: 'initialized'},
	{name: 'starting', word: 'starting', about: 'until its containers ran', ends: 'ran'},
	{name: 'ran', word: 'running', about: 'until its containers had ended', ends: 'containersEnded'},
	{name: 'ending', word: 'ending', about: 'until its Pod was gone', ends: 'ended'},
]

// phasesOf returns the phases of an attempt as {phase, from, to}, in milliseconds.
export function phasesOf(t) {
	const found = []
	let from = ms(t.began)
	for (const phase of phases) {
		// If a Pod was deleted while it ran, nobody has seen its containers end.
		const to = ms(phase.name === 'ran' && t.ran && !t.containersEnded ? t.ended : t[phase.ends])
		if (Number.isNaN(to) || to < from) continue
		// A Task that never ran has nothing to end.
		found.push({phase: phase.name === 'ending' && Number.isNaN(ms(t.ran)) ? phases.find(p => p.name === unfinished(t)) : phase, from, to})
		from = to
	}
	return found
}

// unfinished is the phase in which an attempt ended before it ran.
const unfinished = t => t.initialized ? 'starting' : t.scheduled ? 'pulling' : 'queued'

export function Phases({of}) {
	const all = phasesOf(of).filter(p => p.to > p.from)
	if (all.length === 0) return html`<p class="dim">The record has no times.</p>`
	const first = all[0].from, whole = all.at(-1).to - first || 1
	return html`<div class="phases"><div class="bar" role="img" aria-label=${all.map(p => `${p.phase.word} ${duration(p.to - p.from)}`).join(', ')}>${all.map(p =>
		html`<i key=${p.phase.name} class=${'phase ' + p.phase.name} title=${`${p.phase.word}: ${duration(p.to - p.from)}, ${p.phase.about}`} style=${{flexGrow: Math.max((p.to - p.from) / whole, 0.004)}}></i>`)}</div>
		<table><tbody>${all.map(p => html`<tr key=${p.phase.name} title=${p.phase.about}><th scope="row"><i class=${'dot phase ' + p.phase.name}></i>${p.phase.word}</th><td class="number">${duration(p.to - p.from)}</td><td class="dim">${p.phase.about}</td></tr>`)}</tbody></table></div>`
}

// coloursOf resolves colors of page.css for a canvas, which knows neither variables nor light-dark().
export function coloursOf(canvas, names) {
	const probe = document.createElement('i'), colours = {}
	canvas.parentNode.append(probe)
	for (const name of names) {
		probe.style.color = `var(--${name})`
		colours[name] = getComputedStyle(probe).color
	}
	probe.remove()
	return colours
}
