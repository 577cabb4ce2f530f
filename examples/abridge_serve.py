"""A client of `abridge serve`: python3 abridge_serve.py RUN_DIR 'make test'"""
import json, subprocess, sys, threading
from concurrent.futures import Future

class Abridge:
    def __init__(self, *flags):
        command = ["abridge", "serve", *flags]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.asked, self.count, self.lock = {}, 0, threading.Lock()
        threading.Thread(target=self.listen, daemon=True).start()
    def ask(self, method, **params):  # from any thread; result() of what it returns waits
        with self.lock:
            self.count += 1
            answer = self.asked[self.count] = Future()
            line = json.dumps({"id": self.count, "method": method, "params": params})
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
            return answer
    def listen(self):
        for line in self.process.stdout:
            said = json.loads(line)
            answer = self.asked.pop(said["id"])
            if "error" in said: answer.set_exception(ValueError(said["error"]["message"]))
            else: answer.set_result(said["result"])
        for answer in self.asked.values(): answer.set_exception(EOFError("abridge has ended"))

if __name__ == "__main__":
    abridge = Abridge("--run-dir", sys.argv[1])
    result = abridge.ask("call", tool="run_command", input={"command": sys.argv[2]}).result()
    print(result["content"])  # what the model is given
    sys.exit(result["is_error"])
