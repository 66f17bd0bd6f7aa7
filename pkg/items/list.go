package items

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// List is a list of items. A nil List is not known, which differs from an empty one: no List is empty.
type List struct {
	items []Item
	// digests[n] is the digest of the first n+1 items.
	digests []digest
	bytes   int64
}

// itemBytes is the memory of an item beside its text: its fields and its digest, with room to grow.
const itemBytes = 64

// digest is 128 bits long. It tells apart edits; nobody but the author of a list could make another one with the same digest.
type digest [16]byte

// FromValues returns the items in a spec. Its error names the value, from 0 as in the path of a field, and what is wrong with it.
func FromValues(values []v1.ItemValue) (*List, error) {
	size := 0
	for i := range values {
		size += len(values[i].RawMessage)
	}
	if err := checkSize(len(values), size); err != nil {
		return nil, err
	}
	var list List
	for i := range values {
		if err := list.add(values[i].RawMessage); err != nil {
			return nil, fmt.Errorf("values[%d] %w", i, err)
		}
	}
	return list.complete()
}

// FromLines returns the items in a text with a value in JSON on each line; empty lines count as none. Its error names the line, from
// 1, and what is wrong with it.
func FromLines(text string) (*List, error) {
	if err := checkSize(0, len(text)); err != nil {
		return nil, err
	}
	var list List
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if err := list.add([]byte(line)); err != nil {
			return nil, fmt.Errorf("line %d %w", number, err)
		}
		if err := checkSize(len(list.items), 0); err != nil {
			return nil, err
		}
	}
	return list.complete()
}

func checkSize(number, size int) error {
	switch {
	case number > v1.MaxItems:
		return fmt.Errorf("there are more than %d", v1.MaxItems)
	case size > v1.MaxItemsBytes:
		return fmt.Errorf("they have %d bytes; at most %d are allowed", size, v1.MaxItemsBytes)
	}
	return nil
}

// add appends the item of that JSON.
func (l *List) add(text []byte) error {
	item, err := parse(text)
	if err != nil {
		return err
	}
	var before []byte
	if n := len(l.digests); n > 0 {
		before = l.digests[n-1][:]
	}
	l.items, l.digests = append(l.items, item), append(l.digests, item.digest(before))
	l.bytes += itemBytes + int64(len(item.text))
	return nil
}

func (l *List) complete() (*List, error) {
	if len(l.items) == 0 {
		return nil, errors.New("there are none")
	}
	return l, nil
}

// digest returns the digest of a list that ends with the item. Before is the digest of the items before it, empty for the first one.
func (i Item) digest(before []byte) (sum digest) {
	kind := byte('s')
	if i.object {
		kind = 'o'
	}
	text := append(append(make([]byte, 0, len(before)+9+len(i.text)), before...), kind)
	text = append(binary.BigEndian.AppendUint64(text, uint64(len(i.text))), i.text...)
	all := sha256.Sum256(text)
	copy(sum[:], all[:])
	return sum
}

// Number returns the number of items; 0 if the list is nil.
func (l *List) Number() int {
	if l == nil {
		return 0
	}
	return len(l.items)
}

// Bytes estimates the memory that the list takes; 0 if it is nil.
func (l *List) Bytes() int64 {
	if l == nil {
		return 0
	}
	return l.bytes
}

// At returns the item of the Task with that index, which must be below Number.
func (l *List) At(index int32) Item { return l.items[index] }

// Status returns what is stored of the list, which must not be nil.
func (l *List) Status() *v1.ItemsStatus {
	last := len(l.items) - 1
	return &v1.ItemsStatus{Number: int32(len(l.items)), Digest: hex.EncodeToString(l.digests[last][:])}
}

// BeginsWith reports whether the list begins with the stored items. A nil list does not.
func (l *List) BeginsWith(stored *v1.ItemsStatus) bool {
	n := int(stored.Number)
	return n >= 1 && n <= l.Number() && hex.EncodeToString(l.digests[n-1][:]) == stored.Digest
}

// FirstChange returns the index of the first item that is another one, or missing, in the other list; the number of items if there is
// none.
func (l *List) FirstChange(other *List) int {
	for i := range l.items {
		if i >= other.Number() || l.digests[i] != other.digests[i] {
			return i
		}
	}
	return len(l.items)
}

// compact is the JSON without the spaces between its parts.
func compact(text []byte) string {
	var out bytes.Buffer
	if json.Compact(&out, text) != nil {
		return string(text)
	}
	return out.String()
}
