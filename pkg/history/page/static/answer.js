// Answers: what a view reads, how it is kept up to date, and what the view shows while there is none.
import {address, offers} from './api.js'
import {html, useEffect, useReducer, useRef} from './html.js'
import {Text} from './text.js'

// An answer that is refused is asked for again after this time, in seconds: the server may come back, a token may be renewed, and somebody
// may get the permission. A question that is wrong stays wrong.
const pauses = {0: 5, 400: Infinity, 401: 30, 403: 60, 404: 15}

// useAnswer calls an async function that reads, with a signal and a function that takes what is known so far, each time its key changes.
// An old answer stays until there is a new one. With follow, it reads again when there is something new, until over(data) is true.
export function useAnswer(key, read, {follow, over = () => false} = {}) {
	const state = useRef({key: null})
	const [, draw] = useReducer(n => n + 1, 0)
	if (state.current.key !== key) state.current = {key, loading: true}
	useEffect(() => {
		const stop = new AbortController()
		const mine = state.current
		let timer, unfollow, reading = false, more = false
		const tell = change => {
			if (stop.signal.aborted) return
			Object.assign(mine, change)
			draw()
		}
		const ended = () => { unfollow?.(); unfollow = undefined }
		const again = async () => {
			clearTimeout(timer)
			if (reading) { more = true; return }
			reading = true
			try {
				const data = await read({signal: stop.signal, tell: data => tell({data, loading: true})})
				tell({data: data === undefined ? mine.data : data, error: undefined, loading: false})
				if (stop.signal.aborted) return
				if (!follow || mine.data === undefined || over(mine.data)) ended()
				else unfollow ??= following({...follow, changed: again})
			} catch (error) {
				if (stop.signal.aborted) return
				ended()
				more = false
				tell({error, loading: false})
				const pause = pauses[error.status] ?? 10
				if (pause < Infinity) timer = setTimeout(whenSeen, 1000 * pause)
			} finally {
				reading = false
			}
			if (more && !stop.signal.aborted) { more = false; again() }
		}
		const whenSeen = () => document.hidden ? timer = setTimeout(whenSeen, 1000) : again()
		again()
		mine.again = again
		return () => { stop.abort(); clearTimeout(timer); ended() }
	}, [key])
	return state.current
}

// Streams that the server did not open are tried again later and later, in milliseconds.
const firstWait = 30_000, longestWait = 300_000
const refusedStreams = new Map()

// following calls changed when there is something new, until the function that it returns is called. The server tells so in a stream of
// events; where it has none, or a proxy cuts it, changed is called every some milliseconds. Nothing happens while the page is not seen.
// path is the path of the stream; offered tells whether there is one.
function following({path, query, offered, every, changed}) {
	const name = path.join('/')
	let source, timer, stopped = false
	const close = () => { source?.close(); source = undefined; clearTimeout(timer) }
	const poll = () => {
		close()
		note(name, `polling`)
		timer = setTimeout(() => { changed(); open() }, every())
	}
	const refused = () => {
		const wait = refusedStreams.get(name)?.wait ?? firstWait
		refusedStreams.set(name, {wait: Math.min(2 * wait, longestWait), until: Date.now() + wait})
		poll()
		changed() // a plain answer has the reason
	}
	const open = async () => {
		close()
		if (stopped || document.hidden) return
		if (refusedStreams.get(name)?.until > Date.now() || !await offered().catch(() => false)) return stopped || poll()
		if (stopped || document.hidden || source) return
		source = new EventSource(address(path, query))
		source.addEventListener('changed', () => {
			refusedStreams.delete(name)
			note(name, 'live')
			changed()
		})
		source.addEventListener('ended', () => { close(); note(name); changed() })
		source.addEventListener('refused', refused)
		// While it connects again by itself, a plain answer finds out whether the server is there.
		source.addEventListener('error', () => source?.readyState === EventSource.CLOSED ? refused() : changed())
	}
	const turned = () => {
		if (document.hidden) return close()
		changed()
		open()
	}
	document.addEventListener('visibilitychange', turned)
	open()
	return () => {
		stopped = true
		document.removeEventListener('visibilitychange', turned)
		close()
		note(name)
	}
}

// followChanges is for useAnswer: rows of a namespace, or of one Framework, that the history server has stored.
export const followChanges = (query, every = () => 15_000) => ({path: ['api', 'v1', 'changes'], query, offered: () => offers('changes'), every})

// How the streams of this page stand: live or polling, by name.
const streams = new Map(), watchers = new Set()

function note(name, how) {
	if (how) streams.set(name, how)
	else streams.delete(name)
	for (const w of watchers) w()
}

// Freshness tells whether what is shown is kept up to date, and how.
export function Freshness() {
	const [, draw] = useReducer(n => n + 1, 0)
	useEffect(() => { watchers.add(draw); return () => watchers.delete(draw) }, [])
	const all = [...streams.values()]
	if (all.length === 0) return null
	return all.includes('polling')
		? html`<span class="freshness" title="The server does not announce changes, or a proxy cuts its announcements, so that this page asks again every some seconds.">asks again by itself</span>`
		: html`<span class="freshness live" title="The server announces changes, and this page shows them at once.">live</span>`
}

export const Loading = () => html`<p class="state loading" role="status">Reading…</p>`

export const Empty = ({children}) => html`<div class="state" role="status">${children}</div>`

const ways = {
	0: ['The server does not answer', 'It may be restarting, or the command that forwards to it has ended. This page asks again every few seconds. If that does not help, run kubectl framework ui again.'],
	401: ['Your credentials have expired', 'Log in again in your terminal, as for kubectl. This page asks again every half minute; kubectl framework ui opens a new one with new credentials.'],
	403: ['You may not read this', 'Choose a namespace that you may read, or ask its administrator for permission to get Frameworks. This page asks again every minute.'],
	404: ['The history does not have it', 'It may be older than what is kept, or have another name. A new Framework appears here as soon as the history has it.'],
	429: ['The server is busy', 'This page asks again in a moment.'],
	502: ['The server does not answer', 'It may be restarting. This page asks again every few seconds.'],
	503: ['The server is busy', 'Choose a shorter time range. This page asks again in a moment.'],
}

// Failed shows why there is no answer.
export function Failed({error, again}) {
	const [title, advice] = ways[error.status] ?? ['The server refuses the question', 'Change the filters, or go back.']
	return html`<div class="state failed" role="alert"><h2>${title}</h2><p><${Text} of=${error.message}/></p><p class="dim">${advice}</p>${
		again && html`<button onClick=${again}>Try again now</button>`}</div>`
}

// Stale is a line above an answer that could not be read again.
const Stale = ({error, again}) => html`<p class="stale" role="alert"><b>${(ways[error.status] ?? ['The server refuses the question'])[0]}.</b> Below is the last answer. <button onClick=${again}>Try again now</button></p>`

// Shown draws an answer, or why there is none.
export function Shown({answer, children}) {
	if (answer.data === undefined) return answer.error ? html`<${Failed} error=${answer.error} again=${answer.again}/>` : html`<${Loading}/>`
	return html`${answer.error && html`<${Stale} error=${answer.error} again=${answer.again}/>`}${children(answer.data)}`
}
