package localpage

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// Explained is how a Framework stands in the cluster. Its attempt may be still to begin or to end.
type Explained struct {
	UID string
	historyapi.Explanation
}

// serveExplanation explains the Framework of the parameters namespace and name. With the parameter uid, it is this Framework or none.
func serveExplanation(w http.ResponseWriter, r *http.Request, cluster Cluster) {
	q := r.URL.Query()
	namespace, name, uid := q.Get("namespace"), q.Get("name"), q.Get("uid")
	if namespace == "" || name == "" {
		refuse(w, r, http.StatusBadRequest, "parameters namespace and name: give both")
		return
	}
	found, err := cluster.Explain(r.Context(), namespace, name)
	switch {
	case err != nil:
		refuse(w, r, cmp.Or(statusOf(err), http.StatusBadGateway), err.Error())
		return
	case uid != "" && uid != found.UID:
		refuse(w, r, http.StatusNotFound, fmt.Sprintf("the Framework %s that is in the cluster now is another one of that name", name))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(found.Explanation)
}
