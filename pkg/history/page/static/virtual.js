// Long lists: only the rows that are seen, and some around them, are elements.
import {html, useEffect, useMemo, useReducer, useRef} from './html.js'
import {elementScroll, observeElementOffset, observeElementRect, Virtualizer} from './vendor/virtual-core.js'

// useVirtual returns the reference of the scrolled element, the rows to draw with their places, the height of all in pixels, and whether it is scrolled
// right now.
export function useVirtual(count, height) {
	const element = useRef(null)
	const [, draw] = useReducer(n => n + 1, 0)
	const options = {count, getScrollElement: () => element.current, estimateSize: () => height, overscan: 8, scrollToFn: elementScroll,
		observeElementRect, observeElementOffset, onChange: draw}
	const list = useRef(null)
	if (list.current === null) list.current = new Virtualizer(options)
	else list.current.setOptions(options)
	useEffect(() => list.current._didMount(), [])
	useEffect(() => { list.current._willUpdate() })
	return {element, rows: list.current.getVirtualItems(), total: list.current.getTotalSize(), moving: list.current.isScrolling, scrollTo: (index, align = 'center') => list.current.scrollToIndex(index, {align})}
}

// VirtualTable is a table whose rows have one height, and whose columns have the widths that are given, in em; they share the room that is left in
// these proportions. Each row is placed by itself, so that a row that comes into view moves no other one. Row draws the cells of an item; it is
// called again only when the item or row itself is another one. Elements that are laid out as blocks lose their roles, so that these are named.
export function VirtualTable({items, head, row, widths, label, height = 27}) {
	const {element, rows, total, moving} = useVirtual(items.length, height)
	// A row that comes into view takes the elements of one that left it. For this, the number of keys must not change with each step.
	const pool = useRef(1)
	pool.current = Math.max(pool.current, rows.length)
	const slot = ({index}) => index % pool.current
	// To move an element within its parent costs as much as to make it. Rows are brought into their order, which is the order of Tab, when the
	// table rests.
	const inPlace = moving ? rows.toSorted((a, b) => slot(a) - slot(b)) : rows
	const style = {'--columns': widths.map(w => `minmax(${w}em, ${w}fr)`).join(' '), minWidth: widths.reduce((sum, w) => sum + w, 0) + 'em'}
	return html`<div class="virtual" ref=${element} tabindex="0" role="region" aria-label=${label}><table role="table" aria-label=${label} aria-rowcount=${items.length + 1} style=${style}>
		<thead role="rowgroup"><tr role="row" aria-rowindex="1">${head.map(({word, number, title}) => html`<th key=${word} role="columnheader" class=${number ? 'number' : ''} title=${title}>${word}</th>`)}</tr></thead>
		<tbody role="rowgroup" style=${{height: total + 'px'}}>${inPlace.map(r => html`<${Item} key=${slot(r)} index=${r.index} start=${r.start} item=${items[r.index]} row=${row}/>`)}</tbody></table></div>`
}

const Item = ({index, start, item, row}) => useMemo(() => html`<tr role="row" aria-rowindex=${index + 2} style=${{top: start + 'px'}}>${row(item)}</tr>`, [index, start, item, row])
