// Package quantity bounds the text of Kubernetes quantities, such as 100m or 1e3, before anybody parses it.
//
// It promises that parsing what Check lets through, and adding up any number of such quantities, takes no more work than
// its length accounts for. The parser of Kubernetes by itself does not: 1e-2000000000 has it compute for hours. What a
// quantity has to look like otherwise is left to that parser.
//
//	if err := quantity.Check(text); err == nil {
//		q, err := resource.ParseQuantity(text)
//	}
package quantity
