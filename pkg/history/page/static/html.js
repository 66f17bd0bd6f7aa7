// Templates become elements. Values in them become texts and attributes, never markup.
import htm from './vendor/htm.js'
import {h} from './vendor/preact.js'

export * from './vendor/preact.js'
export const html = htm.bind(h)
