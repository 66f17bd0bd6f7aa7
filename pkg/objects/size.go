package objects

// MaxPodBytes is how many bytes of JSON the API server reads of a request; it answers 413 to one that has more.
const MaxPodBytes = 3 << 20

// MaxContainers is how many containers and init containers a Pod has room for, as each gets our environment.
var MaxContainers = MaxPodBytes / 800
