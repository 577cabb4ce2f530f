--- What sets machines up: Ansible, Terraform, kubectl, systemd units, pip, bats, traced shell scripts.

local text = require "score.text"
local each, fill = text.each, text.fill

local BATS = [[
setup() {
  load_part() { test "$1" != "" && echo "part=$1 errors=0 state=$state"; }
}

]]

local BATS_TEST = [[
@test "the report of $i lines has no error" {
  run load_part $i
  [ "$status" -eq 0 ]
  [ "$output" = "part=$i errors=0 state=open" ]
}

]]

local UNIT = [[
[Unit]
Description=Report the errors of part $i
After=network.target

[Service]
Type=oneshot
ExecStart=$path --part $i
$option=on-failure

[Install]
WantedBy=multi-user.target
]]

local RELEASE = [[
set -eux
stage=out
upload() {
  test -n "$2"
  echo "uploaded $1 with $2"
}
for part in $(seq 1 180); do
  sum=$(cksum < "in/part-$part.bin" | cut -d' ' -f1)
  mkdir -p "$stage/$part"
  cp "in/part-$part.bin" "$stage/$part/bin.$sum"
  if [ "$part" = 171 ]; then sum=$(jq_of_ours -r .sum "$stage/$part/index.json"); fi
  upload "$stage/$part" "$sum"
done
]]

local function roles(dir, last)
  dir:write(
    "hosts",
    each(4, function(i)
      return fill("web$i ansible_connection=local\n", { i = i })
    end)
  )
  dir:write(
    "site.yml",
    "- hosts: all\n  gather_facts: false\n  vars:\n"
      .. '    ansible_python_interpreter: "{{ ansible_playbook_python }}"\n'
      .. "    parts: { web1: a, web2: b, web3: c }\n  tasks:\n"
      .. each(30, function(i)
        return fill(
          "    - name: Report the errors of part $i\n      ansible.builtin.debug:\n"
            .. '        msg: "part $i of {{ inventory_hostname }}: 0 errors"\n',
          { i = i }
        )
      end)
      .. last
  )
end

local RESOURCES = [[
variable "parts" { default = 120 }

resource "terraform_data" "part" {
  count            = var.parts
  input            = "errors of part ${count.index}"
  triggers_replace = [count.index]
}
]]

-- A package that builds itself, so that pip needs nothing else.
local BACKEND = [[
import os
import zipfile

NAME, VERSION = "part$i", "1.$i"


def notes():
    $notes


def build_wheel(folder, settings=None, metadata=None):
    info = "%s-%s.dist-info/" % (NAME, VERSION)
    name = "%s-%s-py3-none-any.whl" % (NAME, VERSION)
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        print("packing", name, "with", notes(), "and 0 errors")
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (NAME, VERSION))
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(info + "RECORD", "")
    return name
]]

local PIP = "PIP_CONFIG_FILE=/dev/null pip3 --disable-pip-version-check --no-input install --no-index --no-deps "
  .. "--target $PWD/site -v "
local PACKAGES = each(20, function(i)
  return fill("./part$i ", { i = i })
end)

--- Twenty packages; `bad` reads a file that is not there.
local function packages(dir, bad)
  for i = 1, 20 do
    local notes = i == bad and 'return open("NOTES").read()' or 'return "no notes"'
    dir:write(fill("part$i/backend.py", { i = i }), fill(BACKEND, { i = i, notes = notes }))
    dir:write(
      fill("part$i/pyproject.toml", { i = i }),
      '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    )
  end
end

return {
  {
    name = "ansible-file",
    language = "Ansible",
    tool = "ansible-playbook",
    tools = { "ansible-playbook" },
    family = "ops",
    ci = "github",
    write = function(dir)
      roles(
        dir,
        "    - name: Place the settings\n      ansible.builtin.copy:\n"
          .. "        src: \"settings-{{ parts[inventory_hostname] | default('d') }}.ini\"\n"
          .. '        dest: "{{ playbook_dir }}/out-{{ inventory_hostname }}.ini"\n        mode: "0644"\n'
      )
      for _, part in ipairs { "a", "b", "c" } do
        dir:write("settings-" .. part .. ".ini", "[report]\nerrors = 0\n")
      end
    end,
    command = "HOME=$PWD ANSIBLE_NOCOLOR=1 ansible-playbook -i hosts -v site.yml",
    exits = 2,
    block = { { from = "An exception occurred during task execution", to = "fatal: [web4]: FAILED!" } },
  },
  {
    name = "ansible-yaml",
    language = "Ansible",
    tool = "ansible-playbook",
    tools = { "ansible-playbook" },
    family = "ops",
    ci = "gitlab",
    write = function(dir)
      roles(
        dir,
        "    - name: Count the reports\n      ansible.builtin.shell: |\n"
          .. "        for f in 1 2 3; do echo report $f is there; done\n"
          .. "        ls {{ playbook_dir }}/{{ parts[inventory_hostname] | default('reports') }}* >&2\n"
          .. "      when: inventory_hostname == 'web4'\n"
      )
    end,
    command = "HOME=$PWD ANSIBLE_NOCOLOR=1 ANSIBLE_CALLBACK_RESULT_FORMAT=yaml ansible-playbook -i hosts -v site.yml",
    exits = 2,
    block = { { from = "fatal: [web4]: FAILED! =>", to = "report 3 is there" } },
  },
  {
    name = "terraform-apply",
    language = "Terraform",
    tool = "terraform",
    tools = { "terraform" },
    family = "ops",
    ci = "travis",
    write = function(dir)
      dir:write("main.tf", RESOURCES .. [[

resource "terraform_data" "publish" {
  input = terraform_data.part[*].output
  provisioner "local-exec" {
    command = "echo publishing ${length(terraform_data.part)} parts; cat reports/index.html"
  }
}
]])
    end,
    command = "export CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1 HOME=$PWD\n"
      .. "terraform init -no-color && terraform apply -auto-approve -no-color -input=false",
    exits = 1,
    block = { { from = "Error: local-exec provisioner error", to = "cat: reports/index.html" } },
  },
  {
    name = "terraform-plan",
    language = "Terraform",
    tool = "terraform",
    tools = { "terraform" },
    family = "ops",
    ci = "jenkins",
    write = function(dir)
      dir:write("main.tf", RESOURCES)
      dir:write(
        "limits.tf",
        [[
variable "limits" { default = { web = 3, queue = "many" } }

output "limit" {
  value = var.limits.web + var.limits.queue
}
]]
      )
    end,
    command = "export CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1 HOME=$PWD\n"
      .. "terraform init && terraform plan -input=false",
    exits = 1,
    block = { { from = "Error: Invalid operand", to = "╵" } },
  },
  {
    name = "kubectl-refused",
    language = "Kubernetes",
    tool = "kubectl",
    tools = { "kubectl" },
    family = "ops",
    ci = "gitlab",
    write = function(dir)
      dir:write("base/kustomization.yaml", "resources:\n" .. each(60, function(i)
        return fill("- part$i.yaml\n", { i = i })
      end))
      for i = 1, 60 do
        dir:write(
          fill("base/part$i.yaml", { i = i }),
          fill(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n"
              .. "  name: part-$i\n  labels: { on-error: retry }\n"
              .. 'data:\n  errors: "0"\n  failed: "false"\n  limits: |\n    lines=$i\n    on_failure=ignore\n'
              .. "    timeout_error=none\n"
              .. "    retries=3\n    owner=part-$i-of-the-reports\n"
              .. "    notes=this part has no errors to report\n",
            { i = i }
          )
        )
      end
    end,
    command = "export HOME=$PWD KUBECONFIG=$PWD/none\n"
      .. "kubectl kustomize base | tee all.yaml && kubectl --server=http://127.0.0.1:1 --request-timeout=2s apply -f "
      .. "all.yaml",
    exits = 1,
    block = { { from = "error: error validating" } },
  },
  {
    name = "systemd-verify",
    language = "systemd",
    tool = "systemd-analyze",
    tools = { "systemd-analyze" },
    family = "ops",
    ci = "jenkins",
    write = function(dir)
      for i = 1, 220 do
        dir:write(
          fill("report-$i.service", { i = i }),
          fill(UNIT, {
            i = i,
            path = i == 187 and "/usr/bin/reprot" or "/bin/true",
            option = i == 187 and "Restrat" or "Restart",
          })
        )
      end
    end,
    command = 'for i in $(seq 1 220); do echo "verifying report-$i.service, on-failure handlers and all its errors: '
      .. 'none so far"\n'
      .. "systemd-analyze verify --recursive-errors=no --man=no ./report-$i.service || bad=1; done; exit $bad",
    exits = 1,
    block = { { from = "report-187.service:8: Unknown key", to = "report-187.service: Command /usr/bin/reprot" } },
  },
  {
    name = "pip-missing",
    language = "Python",
    tool = "pip",
    tools = { "pip3" },
    family = "package",
    ci = "travis",
    write = function(dir)
      packages(dir, 0)
    end,
    command = PIP .. PACKAGES .. "&& " .. PIP .. "'reports-of-ours>=2.1'",
    exits = 1,
    block = { { from = "ERROR: Could not find a version", to = "ERROR: No matching distribution" } },
  },
  {
    name = "pip-build",
    language = "Python",
    tool = "pip",
    tools = { "pip3" },
    family = "package",
    ci = "github",
    write = function(dir)
      packages(dir, 17)
    end,
    command = PIP .. PACKAGES,
    exits = 1,
    block = { { from = "Traceback (most recent call last):", to = "FileNotFoundError: [Errno 2]" } },
  },
  {
    name = "bats-tap",
    language = "Shell",
    tool = "bats",
    tools = { "bats" },
    family = "shell",
    ci = "jenkins",
    write = function(dir)
      dir:write("test/report.bats", BATS .. each(300, function(i)
        return fill(BATS_TEST, { i = i }):gsub("state=open", i == 241 and "state=paid" or "state=open")
      end))
    end,
    command = "state=open bats --tap --print-output-on-failure test",
    exits = 1,
    block = { { from = "not ok 241 the report of 241 lines", to = "# part=241 errors=0 state=open" } },
  },
  {
    name = "bash-errexit",
    language = "Shell",
    tool = "bash",
    tools = { "bash", "cksum" },
    family = "shell",
    ci = "travis",
    write = function(dir)
      for i = 1, 180 do
        dir:write(("in/part-%d.bin"):format(i), "part " .. i)
      end
      dir:write("release.sh", RELEASE)
    end,
    command = "bash release.sh",
    exits = 127,
    block = { { from = "++ jq_of_ours -r .sum out/171/index.json", to = "jq_of_ours: command not found" } },
  },
  {
    name = "bash-unbound",
    language = "Shell",
    tool = "bash",
    tools = { "bash" },
    family = "shell",
    ci = "github",
    write = function(dir)
      dir:write(
        "deploy.sh",
        'set -eu\nfor part in $(seq 1 900); do\n  echo "part $part: 3 files copied, 0 errors"\n'
          .. '  if [ $part = 866 ]; then echo "to $DEPLOY_HOST"; fi\ndone\n'
      )
    end,
    command = "bash deploy.sh",
    block = { { from = "DEPLOY_HOST: unbound variable" } },
  },
}
