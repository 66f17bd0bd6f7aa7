"""Tests of portal.py, against a few lines that answer as an API server does. Run by go test ./example/wrapper/go."""

import http.server
import json
import os
import tempfile
import threading
import unittest

import portal

JOB = portal.Job("ada", "run-17", "registry.example.com/train:1", workers=8, retries=2)


class Server(http.server.BaseHTTPRequestHandler):
    """Keeps one Framework. Requests are answered with the next of codes first; those with a minus are carried out all the same."""

    there, codes, stream = None, [], []

    def log_message(self, *_):
        pass

    def answer(self, code, body):
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode() + b"\n")

    def do_POST(self):
        want = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        code = Server.codes.pop(0) if Server.codes else 201
        if code in (201, -503):
            if Server.there:
                return self.answer(409, {"reason": "AlreadyExists"})
            Server.there = want
        self.answer(abs(code), want if code == 201 else {"reason": "Test"})

    def do_GET(self):
        if "watch=true" in self.path:
            self.send_response(200)
            self.end_headers()
            for event in Server.stream.pop(0) if Server.stream else []:
                self.wfile.write(json.dumps(event).encode() + b"\n")
        elif "/frameworks?" in self.path:
            self.answer(200, {"metadata": {"resourceVersion": "5"}, "items": [Server.there] if Server.there else []})
        elif Server.there:
            self.answer(200, Server.there)
        else:
            self.answer(404, {"reason": "NotFound"})


class Test(unittest.TestCase):
    def setUp(self):
        Server.there, Server.codes, Server.stream = None, [], []
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        token = tempfile.NamedTemporaryFile("w", suffix=".token", delete=False)
        token.write("secret")
        token.close()
        self.addCleanup(os.remove, token.name)
        self.portal = portal.Portal("http://127.0.0.1:%d" % server.server_port, "team-a", token.name)
        self.portal.first_pause = 0.01

    def test_views(self):
        with open(os.path.join(os.path.dirname(__file__), "../testdata/views.json")) as file:
            for case in json.load(file):
                with self.subTest(case["case"]):
                    view = portal.view(case["framework"])
                    self.assertEqual(case["view"], view)
                    self.assertEqual(case["final"], view["phase"] in portal.FINAL)

    def test_submit_twice(self):
        first = self.portal.submit(JOB)
        self.assertEqual(first, self.portal.submit(JOB))
        self.assertRegex(first["metadata"]["name"], "^[a-z][a-z0-9]{20}$")

    def test_submit_repeats_what_may_pass(self):
        for code in (429, 500, 503, -503):
            with self.subTest(code):
                Server.there, Server.codes = None, [code, code]
                self.assertEqual(8, self.portal.submit(JOB)["spec"]["taskRoles"][0]["taskNumber"])

    def test_submit_gives_up(self):
        Server.codes = [503] * 100
        with self.assertRaises(portal.Later):
            self.portal.submit(JOB, patience=0.05)

    def test_submit_returns_what_is_final(self):
        for code in (400, 403, 422):
            with self.subTest(code):
                Server.codes = [code]
                with self.assertRaises(portal.Refused):
                    self.portal.submit(JOB)

    def test_another_job_with_the_key(self):
        self.portal.submit(JOB)
        with self.assertRaises(portal.OtherJob):
            self.portal.submit(portal.Job("ada", "run-17", "registry.example.com/train:2"))

    def test_watch(self):
        framework = self.portal.submit(JOB)
        name = framework["metadata"]["name"]

        def event(kind, version, status=None):
            return {"type": kind, "object": {**framework, "metadata": {"name": name, "resourceVersion": version}, "status": status}}

        running = {"state": "AttemptRunning", "tasks": {"total": 8, "running": 8}}
        Server.stream = [
            [event("MODIFIED", "6", running), event("MODIFIED", "7", running), {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "8"}}}],
            [{"type": "ERROR", "object": {"code": 410}}],
            [event("DELETED", "9")],
        ]
        seen = []
        for job, view in self.portal.watch():
            seen.append((job, view and view["phase"]))
            if view is None:
                break
        # After the error, all are listed again, and the list of this server has no status.
        self.assertEqual([(name, "Queued"), (name, "Running"), (name, "Queued"), (name, None)], seen)

    def test_tasks(self):
        self.assertEqual([], portal.tasks_of({}))
        packed = portal.base64.b64encode(portal.gzip.compress(b'[{"name": ') + portal.gzip.compress(b'"worker"}]')).decode()
        self.assertEqual([{"name": "worker"}], portal.tasks_of({"status": {"attemptStatus": {"taskRoleStatusesCompressed": packed}}}))


if __name__ == "__main__":
    unittest.main()
