package store

import (
	"database/sql"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// mostKnown limits each memory of numbers, in entries. A full one is forgotten as a whole, and read again.
const mostKnown = 20_000

// dictionary knows the numbers of outcomes, requests and images. Only the writer uses it.
type dictionary struct{ outcomes, requests, images words }

// words are the rows of one of its tables.
type words struct {
	known  map[digest]int64 // committed
	fresh  map[digest]int64 // found in this transaction
	wanted map[digest][]any // columns of rows that are needed, and not known
}

func newDictionary() *dictionary {
	return &dictionary{outcomes: newWords(), requests: newWords(), images: newWords()}
}

func newWords() words {
	return words{known: map[digest]int64{}, fresh: map[digest]int64{}, wanted: map[digest][]any{}}
}

func (w *words) need(key digest, columns func() []any) {
	if _, ok := w.known[key]; !ok && w.wanted[key] == nil {
		w.wanted[key] = columns()
	}
}

func (w *words) id(key digest) int64 {
	if id, ok := w.known[key]; ok {
		return id
	}
	return w.fresh[key]
}

// resolve inserts the wanted rows in the order of their keys, unless they exist, and reads their numbers.
func (w *words) resolve(tx *writing, i into) error {
	clear(w.fresh)
	var rows, keys [][]any
	for _, d := range slices.SortedFunc(maps.Keys(w.wanted), digest.compare) {
		rows, keys = append(rows, append([]any{d[:]}, w.wanted[d]...)), append(keys, []any{d[:]})
	}
	if err := tx.insert(i, rows, nil); err != nil {
		return err
	}
	err := tx.among("SELECT key, id FROM "+i.table+" WHERE key", keys, func(r *sql.Rows) error {
		var key []byte
		var id int64
		err := r.Scan(&key, &id)
		w.fresh[digest(key)] = id
		return err
	})
	clear(w.wanted)
	return err
}

func (w *words) keep() {
	if len(w.known)+len(w.fresh) > mostKnown {
		clear(w.known)
	}
	for key, id := range w.fresh {
		w.known[key] = id
	}
	clear(w.fresh)
}

// forget drops the words that an aborted transaction looked for and found.
func (w *words) forget() { clear(w.wanted); clear(w.fresh) }

func (d *dictionary) resolve(w *writing) error {
	const outcome = "key, code, phrase, type, attributes, plugin, plugin_version, rule"
	if err := d.outcomes.resolve(w, into{"outcome", outcome, "ON CONFLICT DO NOTHING"}); err != nil {
		return err
	}
	if err := d.requests.resolve(w, into{"request", "key, text", "ON CONFLICT DO NOTHING"}); err != nil {
		return err
	}
	return d.images.resolve(w, into{"images", "key, text", "ON CONFLICT DO NOTHING"})
}

func (d *dictionary) keep() { d.outcomes.keep(); d.requests.keep(); d.images.keep() }

func (d *dictionary) forget() { d.outcomes.forget(); d.requests.forget(); d.images.forget() }

// outcomeKey identifies the shared part of completions. Diagnostics differ, and are in the rows.
func outcomeKey(c *pluginpb.Completion) digest {
	return digestOf(strconv.Itoa(int(c.GetCode())), name(c.GetPhrase()), name(c.GetType().GetName()), attributes(c),
		name(c.GetPlugin()), name(c.GetPluginVersion()), name(c.GetRule()))
}

// attributes are joined by commas, and have none themselves.
func attributes(c *pluginpb.Completion) string {
	var all []string
	for _, a := range c.GetType().GetAttributes() {
		all = append(all, strings.ReplaceAll(name(a), ",", ""))
	}
	return name(strings.Join(all, ","))
}

func (d *dictionary) needOutcome(c *pluginpb.Completion) {
	if c == nil {
		return
	}
	d.outcomes.need(outcomeKey(c), func() []any {
		return []any{c.GetCode(), name(c.GetPhrase()), name(c.GetType().GetName()), attributes(c),
			name(c.GetPlugin()), name(c.GetPluginVersion()), name(c.GetRule())}
	})
}

// outcome returns a number, or 0 without a completion.
func (d *dictionary) outcome(c *pluginpb.Completion) int64 {
	if c == nil {
		return 0
	}
	return d.outcomes.id(outcomeKey(c))
}

func (d *dictionary) needRequest(requests map[string]float64) {
	text := requestText(requests)
	d.requests.need(digestOf(text), func() []any { return []any{text} })
}

func (d *dictionary) request(requests map[string]float64) int64 {
	return d.requests.id(digestOf(requestText(requests)))
}

// mostRequested is the largest quantity that a Pod can request. The product with any sum of seconds is a number of JSON.
const mostRequested = math.MaxInt64

// requestText is the JSON of requests, with keys in order. Numbers that no quantity can have are left out.
func requestText(requests map[string]float64) string {
	kept := make(map[string]float64, len(requests))
	for resource, quantity := range requests {
		if len(kept) < 64 && math.Abs(quantity) <= mostRequested { // also false for NaN
			kept[name(resource)] = quantity
		}
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return "{}"
	}
	return string(text)
}
