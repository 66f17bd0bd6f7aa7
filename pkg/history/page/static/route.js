// The address of a view is everything after # in the address of the page, so that a link to a view can be sent. Choices are a part of it.
import {html, useEffect, useState} from './html.js'

const read = () => {
	const [path, query = ''] = location.hash.replace(/^#/, '').split('?', 2)
	const parts = path.split('/').filter(Boolean).map(part => {
		try { return decodeURIComponent(part) } catch { return part }
	})
	return {parts, query: Object.fromEntries(new URLSearchParams(query))}
}

// href returns the address of a view. Empty parameters are left out.
export function href(parts, query = {}) {
	const text = new URLSearchParams(Object.entries(query).filter(([, v]) => v !== undefined && v !== null && v !== '' && v !== false)).toString()
	return '#/' + parts.map(encodeURIComponent).join('/') + (text && '?' + text)
}

// go changes the address. With replace, Back skips the address before it.
export function go(address, {replace = false} = {}) {
	if (replace) {
		history.replaceState(null, '', address)
		dispatchEvent(new HashChangeEvent('hashchange'))
	} else {
		location.hash = address
	}
}

export function useRoute() {
	const [route, setRoute] = useState(read)
	useEffect(() => {
		const follow = () => setRoute(read())
		addEventListener('hashchange', follow)
		return () => removeEventListener('hashchange', follow)
	}, [])
	return route
}

export const toFramework = (of, tab, query = {}) => href(['frameworks', of.namespace, of.name, ...(tab ? [tab] : [])], {uid: of.uid, ...query})

export const toTask = (of, t, query = {}) => href(['frameworks', of.namespace, of.name, 'tasks', t.role, String(t.index)],
	{uid: of.uid, attempt: t.frameworkAttempt, taskAttempt: t.attempt, ...query})

// toTasks links to attempts of Tasks of all Frameworks.
export const toTasks = query => href(['tasks'], query)

export const toNode = (name, query = {}) => href(['nodes', name], query)

// useChoices returns the parameters of the address, and a function that changes some of them.
export function useChoices() {
	const {parts, query} = useRoute()
	return [query, change => go(href(parts, {...query, ...change}))]
}

// Entry is a text field of a filter. A change takes effect when the field is left, or with Enter.
export function Entry({label, value = '', onChange, placeholder, type = 'text', size = 12}) {
	const [text, setText] = useState(value)
	useEffect(() => setText(value), [value])
	const done = e => e.target.value.trim() !== value && onChange(e.target.value.trim())
	return html`<label class="field"><span>${label}</span><input type=${type} value=${text} size=${size} placeholder=${placeholder} autocomplete="off" spellcheck=${false}
		onInput=${e => setText(e.target.value)} onBlur=${done} onKeyDown=${e => e.key === 'Enter' && done(e)}/></label>`
}

export const Choice = ({label, value = '', of, onChange}) => html`<label class="field"><span>${label}</span><select value=${value} onChange=${e => onChange(e.target.value)}>${
	of.map(([v, word]) => html`<option key=${v} value=${v} selected=${v === value}>${word}</option>`)}</select></label>`

export const Switch = ({label, title, on, onChange}) => html`<button type="button" class="switch" title=${title} aria-pressed=${on ? 'true' : 'false'} onClick=${() => onChange(on ? '' : 'true')}>${label}</button>`

const ranges = [['1h', 'last hour'], ['24h', 'last day'], ['', 'last 7 days'], ['30d', 'last 30 days'], ['90d', 'last 90 days']]

// Since chooses the beginning of the time range. The value of a link may be a point in time.
export function Since({value = '', onChange}) {
	const known = ranges.some(([v]) => v === value)
	return html`<${Choice} label="Time" value=${value} onChange=${onChange} of=${known ? ranges : [...ranges, [value, `since ${value.slice(0, 10)}`]]}/>`
}

// sinceTime returns the parameter since of the API. It is rounded to a minute, so that a view repeats its question within that minute.
export function sinceTime(value) {
	const of = /^(\d+)([hd])$/.exec(value || '7d')
	if (!of) return value
	const back = of[1] * {h: 3600e3, d: 86400e3}[of[2]]
	return new Date(Math.floor((Date.now() - back) / 60e3) * 60e3).toISOString().replace('.000', '')
}
