package checker

// Guarantee is the id of a promise about all histories.
type Guarantee string

// The guarantees that are checked. G, S and P are those of the contract's section 11.
const (
	OnePod         Guarantee = "G1"       // the Pods of one Task never run at the same time
	PodOfTask      Guarantee = "G2"       // no Pod is there while its Task is not in the status, has ended, or is in another attempt
	OneAttempt     Guarantee = "G3"       // Pods of two attempts, or of two Frameworks of one name, are never there together
	NothingAfter   Guarantee = "G4"       // no Pod is there when its Framework's attempt has ended, or the Framework has gone
	Scale          Guarantee = "S1"       // an attempt ends by Tasks that the spec asks for, and the policy of the same spec
	FlagStays      Guarantee = "S2a"      // deletionPending is never taken back
	FlagFirst      Guarantee = "S2b"      // a Pod is created after its Task is stored, and removed after its flag is
	FlagEnds       Guarantee = "S2c"      // a flagged Task is removed or replaced, or ends with its attempt
	StoredFirst    Guarantee = "P1"       // nothing is done before the status that calls for it is stored
	Forward        Guarantee = "P2"       // what a client reads of a Framework only moves forward
	Counters       Guarantee = "P3"       // retries are those that the policy asks for, and are counted as it says
	AllEnded       Guarantee = "P4"       // when an attempt has ended, so have its Tasks, each with an outcome, and its objects have gone
	NoSecondRun    Guarantee = "P5"       // an attempt of a Task gets another Pod only if its first one was taken away unseen
	ForeignObjects Guarantee = "P6"       // what somebody else owns is neither changed nor deleted
	Together       Guarantee = "retry-20" // Tasks that start again together begin when all of them have ended; those of a role touch no other
	Suspended      Guarantee = "F3a"      // while a Framework is suspended, no attempt of it begins, and its status says so
	Admitted       Guarantee = "plug-18"  // no Pod is created before its scheduler has admitted the attempt, and that is stored
	Avoided        Guarantee = "retry-30" // nodes that Pods avoid are bounded, and each is there because a Pod has failed on it
	StatusOnly     Guarantee = "W1"       // of Frameworks, the controller writes the status only
	Adoption       Guarantee = "W10"      // what a status records was made for that very attempt, and such an object is not wasted
)
