package explain

// invalidWords are those of the reasons for which a Framework is left alone.
var invalidWords = map[string]Word{
	"StatusInvalid": {
		Means: "The stored status was written by somebody else, or damaged, and makes no sense, so the controller leaves the Framework alone.",
		Ends:  "It ends when the status is repaired, or the Framework is deleted and created again.",
		Next:  []Step{seeSpec},
	},
	"SpecInvalid": {
		Means: "The stored spec makes no sense to the controller, which leaves the Framework alone.",
		Ends:  "It ends when the spec is corrected.",
		Next:  []Step{seeSpec, editSpec},
	},
}
