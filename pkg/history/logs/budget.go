package logs

import "sync/atomic"

// Budget limits the memory of all logs that are read at the same time. A nil Budget sets no limit.
type Budget struct{ left atomic.Int64 }

// NewBudget returns a budget of a number of bytes.
func NewBudget(bytes int64) *Budget {
	b := &Budget{}
	b.left.Store(bytes)
	return b
}

// take takes the memory of one more block, if there is any left.
func (b *Budget) take() bool {
	if b == nil || b.left.Add(-blockText) >= 0 {
		return true
	}
	b.left.Add(blockText)
	return false
}

func (b *Budget) give(blocks int) {
	if b != nil {
		b.left.Add(int64(blocks) * blockText)
	}
}
