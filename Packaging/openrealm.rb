# SPDX-License-Identifier: Apache-2.0
#
# The formula for Homebrew. Scripts/package --formula writes it with the version, address and digest of a release.
class Openrealm < Formula
  desc "Look into Realm files, and serve apps with device sync"
  homepage "@HOME@"
  url "@URL@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "libpq" => :recommended
  uses_from_macos "swift" => :build

  def install
    args = ["--disable-sandbox", "-c", "release", "--traits", "Tools,Server,Postgres,Encryption"]
    args << "--static-swift-stdlib" if OS.linux?
    %w[realm realm-server].each do |program|
      system "swift", "build", *args, "--product", program
      bin.install ".build/release/#{program}"
      generate_completions_from_executable(bin/program, "--generate-completion-script")
    end
    (man1/"realm.1").write Utils.safe_popen_read(bin/"realm", "manual")
  end

  service do
    run [opt_bin/"realm-server", "serve", "--dir", var/"realm-server"]
    keep_alive crashed: true
    log_path var/"log/realm-server.log"
    error_log_path var/"log/realm-server.log"
  end

  test do
    (testpath/"dogs.jsonl").write "{\"name\":\"Rex\",\"age\":3}\n"
    system bin/"realm", "import", "dogs.realm", "dogs.jsonl", "--class", "Dog"
    assert_match "Rex", shell_output("#{bin}/realm query dogs.realm Dog --format json")
    assert_match version.to_s, shell_output("#{bin}/realm-server --version")
  end
end
