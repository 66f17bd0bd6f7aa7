// Texts of others, numbers, times and durations, as the page shows them.
import {html, useState} from './html.js'

// Control characters except tab and newline, and characters that have no width or change the direction.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]/

const nameOf = character => 'U+' + character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')

// visible replaces the hidden characters of a text by their names.
export function visible(text) {
	if (!hidden.test(text)) return text
	return text.split(new RegExp(`(${hidden.source})`)).map((part, i) =>
		i % 2 ? html`<span class="hidden-character" title="a character that is not visible">${nameOf(part)}</span>` : part)
}

// plain does the same where elements are not possible, as on canvases and in titles.
export const plain = text => String(text).replace(new RegExp(hidden.source, 'g'), nameOf)

// Text shows a text of others. A longer one is cut, with a button that shows all of it.
export function Text({of, most = 300}) {
	const [whole, setWhole] = useState(false)
	const text = String(of ?? '')
	if (text.length <= most || whole) return html`<bdi class="text">${visible(text)}</bdi>`
	return html`<bdi class="text">${visible(text.slice(0, most))}</bdi>… <button class="plain" onClick=${() => setWhole(true)}
		>all ${text.length.toLocaleString()} characters</button>`
}

// isLink reports whether the page may link to an address.
export function isLink(text) {
	try {
		return ['http:', 'https:'].includes(new URL(text).protocol)
	} catch {
		return false
	}
}

// toLocaleString would make one of these each time, which takes longer than the rest of a row.
const numbers = new Intl.NumberFormat()

export const count = n => numbers.format(Number(n ?? 0))

export const percent = share => `${(100 * share).toLocaleString(undefined, {maximumFractionDigits: 1})} %`

export const plural = (n, one, many = one + 's') => `${count(n)} ${n === 1 ? one : many}`

const sameDay = new Intl.DateTimeFormat(undefined, {hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23'})
const sameYear = new Intl.DateTimeFormat(undefined, {month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23'})
const any = new Intl.DateTimeFormat(undefined, {year: 'numeric', month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23'})

// ms returns a time of the API in milliseconds, or NaN if there is none.
export const ms = text => text ? Date.parse(text) : NaN

export function clock(at, now = Date.now()) {
	const then = new Date(at), today = new Date(now)
	const form = then.toDateString() === today.toDateString() ? sameDay : then.getFullYear() === today.getFullYear() ? sameYear : any
	return form.format(then)
}

export function Time({at}) {
	const then = ms(at)
	if (Number.isNaN(then)) return html`<span class="none" aria-label="none">–</span>`
	return html`<time datetime=${at} title=${utc(then)}>${clock(then)}</time>`
}

export const utc = at => new Date(at).toISOString().replace('T', ' ').replace(/(\.000)?Z$/, ' UTC')

// duration words milliseconds in at most two units: 850 ms, 12 s, 3 m 5 s, 2 h 7 m, 4 d 3 h. Clocks that disagree make it negative.
export function duration(of) {
	if (!Number.isFinite(of)) return '–'
	if (of < 0) return '−' + duration(-of)
	if (of < 1000) return `${Math.round(of)} ms`
	const seconds = Math.round(of / 1000)
	if (seconds < 60) return of < 10_000 ? `${(of / 1000).toFixed(1)} s` : `${seconds} s`
	const units = [['d', 86400], ['h', 3600], ['m', 60], ['s', 1]]
	const first = units.findIndex(([, size]) => seconds >= size)
	const [name, size] = units[first]
	const rest = units[first + 1] && Math.floor(seconds % size / units[first + 1][1])
	return `${Math.floor(seconds / size)} ${name}` + (rest ? ` ${rest} ${units[first + 1][0]}` : '')
}

export const between = (from, to) => ms(to) - ms(from)

export function Duration({from, to}) {
	const of = between(from, to)
	return html`<span class="number" title=${Number.isFinite(of) ? `${numbers.format(of / 1000)} s` : null}>${duration(of)}</span>`
}

// save offers a text as a file.
export function save(name, type, text) {
	const address = URL.createObjectURL(new Blob([text], {type}))
	const a = document.createElement('a')
	a.href = address
	a.download = name
	a.click()
	setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
