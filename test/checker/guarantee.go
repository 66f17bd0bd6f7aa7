package checker

// Guarantee is the id of a promise about all histories.
type Guarantee string

// The guarantees that are checked. G, S and P are defined in section 11 of the contract.
const (
	OnePod         Guarantee = "G1"       // the Pods of one Task never run at the same time
	PodOfTask      Guarantee = "G2"       // no Pod exists while its Task is not in the status, has ended, or is in another attempt
	OneAttempt     Guarantee = "G3"       // Pods of two attempts, or of two Frameworks of one name, are never there together
	NothingAfter   Guarantee = "G4"       // no Pod exists when its Framework's attempt has ended, or the Framework is gone
	Scale          Guarantee = "S1"       // an attempt ends by Tasks that the spec asks for, and the policy of the same spec
	FlagStays      Guarantee = "S2a"      // deletionPending is never taken back
	FlagFirst      Guarantee = "S2b"      // a Pod is created after its Task is stored, and removed after its flag is
	FlagEnds       Guarantee = "S2c"      // a flagged Task is removed or replaced, or ends with its attempt
	StoredFirst    Guarantee = "P1"       // nothing is done before the status that calls for it is stored
	Forward        Guarantee = "P2"       // the facts that a client reads of a Framework only move forward
	Counters       Guarantee = "P3"       // retries follow the policy, and are counted by it
	AllEnded       Guarantee = "P4"       // when an attempt has ended, so have its Tasks, each with an outcome, and its objects have gone
	NoSecondRun    Guarantee = "P5"       // an attempt of a Task gets another Pod only if its first one was taken away unseen
	ForeignObjects Guarantee = "P6"       // objects of others are neither changed nor deleted
	Together       Guarantee = "retry-20" // Tasks that restart together begin when all of them have ended; a role's restart touches no other role
	Suspended      Guarantee = "F3a"      // while a Framework is suspended, no attempt of it begins, and its status shows it
	Admitted       Guarantee = "plug-18"  // no Pod is created before its scheduler has admitted the attempt, and that is stored
	Avoided        Guarantee = "retry-30" // nodes that Pods avoid are bounded, and each is avoided because a Pod has failed on it
	ActiveDeadline Guarantee = "retry-35" // attempts ended by a deadline have run for that long, and running time is not forgotten
	RaisedMemory   Guarantee = "retry-37" // memory that a Task got after it ran out of it is within the maximum, and is not forgotten
	StatusOnly     Guarantee = "W1"       // the controller only writes the status of Frameworks
	StartedAfter   Guarantee = "gate-7"   // a role starts after another Framework once that has completed
	Turns          Guarantee = "scale-20" // no more Tasks of a role have their turn than its parallelism allows
	SameItem       Guarantee = "scale-30" // a Pod has the item of its Task in the list with which the attempt began
	Claims         Guarantee = "pod-20"   // claims of volumes are stored before the Pods that need them, and are not forgotten
	InShadow       Guarantee = "plug-38"  // a classifier or a rule in shadow decides nothing
	Adoption       Guarantee = "W10"      // objects that a status records were made for that very attempt, and such an object is not wasted
)
