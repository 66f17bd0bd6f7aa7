// Package links reads the links of a Framework from its annotations: pages of other systems, such as its TensorBoard or its logs. It is pure.
//
// It promises that each returned address begins with http:// or https:// and a host, and has no credentials. The address consists of the characters
// of addresses alone, so it is no markup, no script and no escape sequence wherever it is shown. Whether anything answers there is not known.
//
//	good, ignored := links.Of(&framework.ObjectMeta)
//
// A link is one annotation: frameworkcontroller.microsoft.com/link.NAME with an address as its value. Placeholders are replaced as in a Pod template, as
// far as they belong to the Framework and not to one of its Tasks.
package links
