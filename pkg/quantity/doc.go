// Package quantity limits the text of Kubernetes quantities, such as 100m or 1e3, before anybody parses it.
//
// It promises that parsing accepted text, and adding up any number of such quantities, takes work in proportion to its
// length. The parser of Kubernetes does not promise that: it computes for hours on 1e-2000000000. The syntax of
// quantities is otherwise left to that parser.
//
//	if err := quantity.Check(text); err == nil {
//		q, err := resource.ParseQuantity(text)
//	}
package quantity
