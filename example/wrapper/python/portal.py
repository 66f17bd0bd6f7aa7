"""An example of a platform on top of Frameworks, in Python, without any library.

It does the same as ../go: submit may be repeated and makes one Framework, watch follows all jobs, view shows each in a few words.
docs/tasks/build-a-platform.md explains why. In a Pod, the arguments of Portal come from the Pod's ServiceAccount:

    portal = Portal()
    framework = portal.submit(Job("ada", "run-17", "registry.example.com/train:1", workers=8))
    for name, seen in portal.watch():
        ...                     # seen is None once there is no such job
"""

import base64
import dataclasses
import gzip
import hashlib
import http.client
import json
import random
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount/"
OWNER = "portal.example.com/owner"
KEY = "portal.example.com/key"
DIGEST = "portal.example.com/digest"
STOPPED = -210
FINAL = ("Succeeded", "Failed", "Stopped")


class OtherJob(Exception):
    """The owner has submitted another job with the same key."""


class Refused(Exception):
    """The API server's answer to a request that it has not carried out."""

    def __init__(self, code, reason, message):
        super().__init__("%d %s: %s" % (code, reason, message))
        self.code, self.reason = code, reason


class Later(Exception):
    """The same request may succeed later."""


@dataclasses.dataclass(frozen=True)
class Job:
    owner: str      # a label value
    key: str        # unique among the jobs of an owner; store it before submit
    image: str
    command: tuple = ()
    workers: int = 1
    retries: int = 0


def name_of(owner, key):
    """The name of a job's Framework: the same for the same owner and key, and short enough for host names of its Pods."""
    return "j" + hashlib.sha256(("%s\0%s" % (owner, key)).encode()).hexdigest()[:20]


def framework_of(job):
    digest = hashlib.sha256(json.dumps(dataclasses.asdict(job), sort_keys=True).encode()).hexdigest()
    main = {"name": "main", "image": job.image, "terminationMessagePolicy": "FallbackToLogsOnError"}
    if job.command:
        main["command"] = list(job.command)
    return {
        "apiVersion": "frameworkcontroller.microsoft.com/v1",
        "kind": "Framework",
        "metadata": {"name": name_of(job.owner, job.key), "labels": {OWNER: job.owner}, "annotations": {KEY: job.key, DIGEST: digest}},
        "spec": {
            "ttlSecondsAfterFinished": 24 * 60 * 60,
            "taskRoles": [{
                "name": "worker",
                "taskNumber": job.workers,
                "frameworkAttemptCompletionPolicy": {"minFailedTaskCount": 1, "minSucceededTaskCount": job.workers},
                "task": {
                    "retryPolicy": {"fancyRetryPolicy": True, "maxRetryCount": job.retries},
                    "pod": {"spec": {"restartPolicy": "Never", "containers": [main]}},
                },
            }],
        },
    }


def view(framework):
    """What a list of jobs shows of one. It is made of conditions, counts and codes, which are stable, and of no sentence."""
    status = framework.get("status") or {}
    attempt = status.get("attemptStatus") or {}
    tasks = status.get("tasks") or {}
    v = {"name": framework["metadata"]["name"], "phase": "Queued", "attempt": attempt.get("id", 0),
         "running": tasks.get("running", 0), "succeeded": tasks.get("succeeded", 0),
         "failed": tasks.get("failed", 0) - tasks.get("cutShort", 0), "total": tasks.get("total", 0)}
    true = {c["type"]: c for c in status.get("conditions") or [] if c["status"] == "True"}
    end = attempt.get("completionStatus")

    def because(condition):
        v.update({k: condition[k] for k in ("reason", "message") if condition.get(k)})

    if not status:
        return v
    if "Completed" in true:
        because(true["Completed"])
        v["phase"] = "Succeeded" if true["Completed"]["reason"] == "Succeeded" else "Failed"
        if end:
            v["code"], v["reason"] = end["code"], end["phrase"]
            if end["code"] == STOPPED:
                v["phase"] = "Stopped"
        return v
    if "StatusInvalid" in true:
        because(true["StatusInvalid"])
        v["phase"] = "Invalid"
        return v
    if "Waiting" in true:
        because(true["Waiting"])
    if framework["metadata"].get("deletionTimestamp"):
        v["phase"] = "Deleting"
    elif "Suspended" in true:
        v["phase"] = "Suspended"
    elif framework["spec"].get("executionType") == "Create":
        v["phase"] = "Held"
    elif status.get("state") == "AttemptRunning":
        v["phase"] = "Running"
    elif (status.get("retryPolicyStatus") or {}).get("retryDelaySec") is not None:
        v["phase"] = "Retrying"
    elif end:
        v["phase"] = "Ending"
    else:
        v["phase"] = "Starting"
    return v


def tasks_of(framework):
    """The roles with their Tasks. The status of many Tasks is stored compressed."""
    attempt = (framework.get("status") or {}).get("attemptStatus") or {}
    packed = attempt.get("taskRoleStatusesCompressed")
    if packed:
        return json.loads(gzip.decompress(base64.b64decode(packed)))
    return attempt.get("taskRoleStatuses") or []


class Portal:
    """The jobs of one namespace."""

    def __init__(self, server="https://kubernetes.default.svc", namespace=None, token_file=ACCOUNT + "token", ca_file=ACCOUNT + "ca.crt"):
        if namespace is None:
            with open(ACCOUNT + "namespace") as file:
                namespace = file.read().strip()
        self.url = "%s/apis/frameworkcontroller.microsoft.com/v1/namespaces/%s/frameworks" % (server.rstrip("/"), namespace)
        self.token_file = token_file
        self.tls = ssl.create_default_context(cafile=ca_file) if server.startswith("https:") else None
        self.first_pause = 1.0

    def open(self, method, path="", body=None, kind="application/json", timeout=30, **query):
        request = urllib.request.Request(self.url + path + "?" + urllib.parse.urlencode(query), method=method,
                                         data=None if body is None else json.dumps(body).encode())
        with open(self.token_file) as file:     # each time, as it is renewed
            request.add_header("Authorization", "Bearer " + file.read().strip())
        if body is not None:
            request.add_header("Content-Type", kind)
        try:
            return urllib.request.urlopen(request, timeout=timeout, context=self.tls)
        except urllib.error.HTTPError as e:
            try:
                status = json.loads(e.read())
            except (ValueError, OSError):
                status = {}
            refused = Refused(e.code, status.get("reason", ""), status.get("message", ""))
            if e.code == 429 or e.code >= 500:
                raise Later(str(refused)) from refused
            raise refused from None
        except (OSError, http.client.HTTPException) as e:    # whether it was carried out is unknown
            raise Later(str(e)) from e

    def call(self, *args, **kwargs):
        try:
            with self.open(*args, **kwargs) as answer:
                return json.load(answer)
        except (OSError, http.client.HTTPException, ValueError) as e:
            raise Later(str(e)) from e

    def submit(self, job, patience=600):
        """Creates the Framework of a job, or returns the one that an earlier call has created."""
        deadline, pause = time.monotonic() + patience, self.first_pause
        while True:
            try:
                return self._create(framework_of(job))
            except Later:
                if time.monotonic() + pause > deadline:
                    raise
                time.sleep(pause * random.uniform(1, 1.2))
                pause = min(2 * pause, 30)

    def _create(self, want):
        try:
            return self.call("POST", body=want, fieldValidation="Strict")
        except Refused as e:
            if e.reason != "AlreadyExists":
                raise
        name = want["metadata"]["name"]
        try:
            there = self.get(name)
        except Refused as e:
            if e.code == 404:
                raise Later(name + " is gone just now") from e
            raise
        if there["metadata"].get("annotations", {}).get(DIGEST) != want["metadata"]["annotations"][DIGEST]:
            raise OtherJob(name)
        if there["metadata"].get("deletionTimestamp"):
            raise Later(name + " is being deleted")
        return there

    def get(self, name):
        return self.call("GET", "/" + name)

    def stop(self, name):
        """Ends a job for good, and keeps its Framework to be looked at."""
        return self.call("PATCH", "/" + name, body={"spec": {"executionType": "Stop"}}, kind="application/merge-patch+json")

    def watch(self):
        """Yields (name, view) of each job as it is, and whenever its view changes; (name, None) when there is no such job any longer."""
        known = {}
        while True:
            try:
                version, views = self._list()
                listed = dict(views)
                for name in known.keys() - listed.keys():
                    yield name, None
                for name in listed:
                    if known.get(name) != listed[name]:
                        yield name, listed[name]
                known = listed
                for name, now in self._changes(version):
                    if now is None:
                        known.pop(name, None)
                        yield name, None
                    elif known.get(name) != now:
                        known[name] = now
                        yield name, now
            except Later:
                time.sleep(self.first_pause)

    def _list(self):
        """The version of the list, and views of all, 500 at a time. Whole statuses are not kept."""
        more, views = "", []
        while True:
            try:
                page = self.call("GET", labelSelector=OWNER, limit=500, **({"continue": more} if more else {}))
            except Refused as e:
                if e.code != 410:       # the pages took too long
                    raise
                more, views = "", []
                continue
            views += [(f["metadata"]["name"], view(f)) for f in page["items"]]
            more = page["metadata"].get("continue")
            if not more:
                return page["metadata"]["resourceVersion"], views

    def _changes(self, version):
        """Changes since a version, until they have to be listed again."""
        while True:
            try:
                with self.open("GET", timeout=330, watch="true", timeoutSeconds=300, allowWatchBookmarks="true",
                               labelSelector=OWNER, resourceVersion=version) as stream:
                    for line in stream:
                        event = json.loads(line)
                        if event["type"] == "ERROR":
                            return      # 410: the API server has forgotten so old a version
                        version = event["object"]["metadata"]["resourceVersion"]
                        if event["type"] != "BOOKMARK":
                            yield event["object"]["metadata"]["name"], None if event["type"] == "DELETED" else view(event["object"])
            except Refused as e:
                if e.code == 410:
                    return
                raise
            except (OSError, http.client.HTTPException, ValueError) as e:
                raise Later(str(e)) from e
