--- What redaction promises, in numbers, and what it shows in place of a secret.

return {
  hidden = "[redacted]", -- what stands for a match, and for a line that could not be redacted
  piece = 64 * 1024, -- bytes of a line that are surely seen at once
  overlap = 256, -- bytes of a secret that is hidden wherever it lies
}
