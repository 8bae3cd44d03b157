class Touchstone < Formula
  desc "Checks every MCP tool call against what the tool declares"
  homepage "https://github.com/{{repository}}"
  url "https://registry.npmjs.org/touchstone/-/touchstone-{{version}}.tgz"
  sha256 "{{sha256}}"
  license "Apache-2.0"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/touchstone --version")
    assert_match "1 blocked", shell_output("#{bin}/touchstone demo --once")
  end
end
