// SPDX-License-Identifier: Apache-2.0

// Mistakes of operators, with the real program: each has one message, which names the file and a
// remedy, and an exit code.

#if Server
import Foundation
import RealmNetworking
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(
  .timeLimit(.minutes(10)),
  .enabled(if: ServerProcess.isBuilt, "the program was not built with the tests"))
struct OperatorMistakeTests {
  private static let files = FileManager.default

  /// A folder with an app.
  private static func folder(_ directory: TemporaryDirectory) throws -> String {
    let app = directory.path + "/data/apps/todos"
    try files.createDirectory(atPath: app, withIntermediateDirectories: true)
    try write(#"{"id":"todos","sync":"partition","providers":{"anon-user":{}}}"#, app + "/app.json")
    return directory.path + "/data"
  }

  private static func write(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  /// What the program says of a mistake, which is all that it says.
  private static func message(
    _ arguments: [String], _ directory: TemporaryDirectory,
    _ location: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let listen = arguments.contains("--listen") ? [] : ["--listen", "127.0.0.1:0"]
    let (status, errors) = try await ServerProcess.run(
      ["serve"] + arguments + listen, in: directory)
    #expect(status == 1, "\(errors)", sourceLocation: location)
    let lines = errors.split(separator: "\n").filter { $0.hasPrefix("realm-server: ") }
    #expect(lines.count == 1, "\(errors)", sourceLocation: location)
    return String(lines.first?.dropFirst("realm-server: ".count) ?? "")
  }

  // MARK: Files of apps

  @Test func aRuleWithAnErrorIsNamed() async throws {
    let directory = try TemporaryDirectory()
    let data = try Self.folder(directory)
    let file = data + "/apps/todos/app.json"
    let text =
      #"{"id":"todos","mode":"production","sync":"partition","#
      + #""permissions":{"read":{"%%user.name":1}}}"#
    try Self.write(text, file)
    let column = text.utf8.count - "%%user.name\":1}}}".utf8.count
    let message = try await Self.message(["--dir", data], directory)
    expectTrue(message.hasPrefix(file + " "), "\(message)")
    expectTrue(message.contains("unknown expansion \"%%user.name\""), "\(message)")
    expectTrue(message.hasSuffix("(line 1, column \(column)). Correct the file."), "\(message)")
    // The same from the commands.
    for command in [["rules", "check", file], ["apply", "--dir", data]] {
      let run = try SpawnedProgram.run(ServerProcess.path, command)
      expectEqual(run.status, 1, "\(run)")
      expectEqual(run.errors, "realm-server: \(message)\n", "\(run)")
    }
  }

  // MARK: Folders

  /// `ServerDirectory+Check` 2
  @Test func foldersThatAreNoServersAreNamed() async throws {
    let directory = try TemporaryDirectory()
    let data = try Self.folder(directory)
    let app = data + "/apps/todos"
    try await expectEqual(
      Self.message(["--dir", app], directory),
      "\(app) is the folder of an app. Name that of its server with --dir, which is \(data).")
    let other = directory.path + "/photos"
    try Self.files.createDirectory(atPath: other, withIntermediateDirectories: true)
    try Self.write("x", other + "/cat.jpeg")
    try await expectEqual(
      Self.message(["--dir", other], directory),
      """
      \(other) has other files, like cat.jpeg, and is no folder of a server. Name an empty one, \
      or that of an earlier server, with --dir.
      """)
    try expectEqual(Self.files.contentsOfDirectory(atPath: other), ["cat.jpeg"])
    let file = directory.file("file")
    try Self.write("", file)
    let message = try await Self.message(["--dir", file], directory)
    expectTrue(message.hasPrefix("The folder \(file) cannot be made"), "\(message)")
  }

  @Test func aFolderThatIsServedIsNamed() async throws {
    let directory = try TemporaryDirectory()
    let server = try await ServerProcess(directory)
    defer { server.kill() }
    let data = directory.path + "/data"
    try await expectEqual(
      Self.message(["--dir", data], directory),
      "Another realm-server uses the folder \(data). Stop it, or choose another with --dir.")
    let place = String(try #require(server.address.split(separator: "/").last))
    let second = try TemporaryDirectory()
    try await expectEqual(
      Self.message(["--dir", try Self.folder(second), "--listen", place], second),
      """
      Another program listens on \(place). Stop it, or choose another port with --listen.
      """)
    server.kill()
    // A folder whose apps went away is not begun again.
    for _ in 0..<3_000 where server.isRunning { try await Task.sleep(for: .milliseconds(10)) }
    try Self.files.moveItem(atPath: data + "/apps", toPath: directory.path + "/apps")
    try await expectEqual(
      Self.message(["--dir", data], directory),
      "\(data)/apps is missing, and the folder was served before. Put it back from a backup, "
        + "or name an empty folder with --dir.")
    // The folder of an app under another name, as a copy has it.
    try Self.files.createDirectory(atPath: data + "/apps", withIntermediateDirectories: true)
    try Self.files.copyItem(
      atPath: directory.path + "/apps/todos", toPath: data + "/apps/notes")
    try await expectEqual(
      Self.message(["--dir", data], directory),
      "\(data)/apps/notes/app.json has the id \"todos\". Give the app's folder that name.")
    // With its id changed, its users are another app's.
    let file = data + "/apps/notes/app.json"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try Self.write(text.replacingOccurrences(of: "todos", with: "notes"), file)
    let message = try await Self.message(["--dir", data], directory)
    expectTrue(message.hasPrefix(data + "/apps/notes/accounts.realm"), "\(message)")
  }

  @Test func anOlderBackupIsLogged() async throws {
    let directory = try TemporaryDirectory()
    let (data, backup) = (directory.path + "/data", directory.path + "/backup")
    let first = try await ServerProcess(directory)
    defer { first.kill() }
    let device = try await ServedDevice(try await first.user().connection())
    try device.put(1, "a")
    try await device.wait(for: .upload)
    try await first.end()
    try Self.files.copyItem(atPath: data, toPath: backup)
    let second = try await ServerProcess(directory, port: first.port)
    defer { second.kill() }
    try device.put(2, "b")
    try await device.wait(for: .upload)
    #expect(try !second.log().contains("older backup"))
    try await second.end()
    try Self.files.removeItem(atPath: data)
    try Self.files.moveItem(atPath: backup, toPath: data)
    let third = try await ServerProcess(directory, port: first.port)
    defer { third.kill() }
    try await third.wait(for: "restored from an older backup, or is another server's")
    #expect(try third.log().contains("warning"))
    await device.close()
  }

  // MARK: Disks

  /// A disk of 24 MiB, which the server alone sees, in place of its folder.
  ///
  /// - Parameter filled: The bytes of it that a file takes.
  private static func smallDisk(filled: Int) -> [String] {
    [
      "/usr/bin/unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c",
      """
      cp -r "$3" "$3.kept" && mount -t tmpfs -o size=24m tmpfs "$3" || exit
      cp -r "$3.kept/." "$3"
      head -c \(filled) /dev/zero > "$3/filler" 2> /dev/null
      exec "$0" "$@"
      """,
    ]
  }

  private static let hasSmallDisks: Bool = {
    let program = try? SpawnedProgram(
      "/usr/bin/unshare",
      ["--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"],
      output: .null, errors: .null)
    return program?.waitUntilExit() == 0
  }()

  /// Nothing is lost, and the server goes on by itself when there is room.
  @Test(.enabled(if: hasSmallDisks, "the system makes no disks for tests"))
  func aFullDiskIsLoggedAndLeft() async throws {
    let directory = try TemporaryDirectory()
    let server = try await ServerProcess(directory, launcher: Self.smallDisk(filled: 0))
    defer { server.kill() }
    let device = try await ServedDevice(try await server.user().connection())
    try device.put(0, "small")
    try await device.wait(for: .upload)
    let filler = "/proc/\(server.identifier)/root\(directory.path)/data/filler"
    _ = try SpawnedProgram.run("/bin/sh", ["-c", "head -c 30000000 /dev/zero > '\(filler)'"])
    for number in 1...3 as ClosedRange<Int64> {
      try device.put(number, String(repeating: "\(number)", count: 100_000))
    }
    try await server.wait(for: "The store of todos failed: The disk is full.")
    // Each device that tries again says nothing new.
    let line = try #require(
      try server.log().split(separator: "\n").first { $0.contains("The disk is full") })
    expectTrue(line.contains(" error "), "\(line)")
    expectTrue(line.contains("/apps/todos/realms/"), "\(line)")
    try Self.files.removeItem(atPath: filler)
    try await device.wait(for: .upload)
    #expect(try server.log().split(separator: "\n").count { $0.contains("disk is full") } < 5)
    expectTrue(server.isRunning)
    await device.close()
  }

  @Test(.enabled(if: hasSmallDisks, "the system makes no disks for tests"))
  func aDiskThatIsFullAtTheStartIsNamed() async throws {
    let directory = try TemporaryDirectory()
    let data = try Self.folder(directory)
    let words = Self.smallDisk(filled: 30 << 20) + [ServerProcess.path, "serve", "--dir", data]
    let errors = directory.file("mistake.txt")
    let program = try SpawnedProgram(
      words[0], words.dropFirst() + ["--listen", "127.0.0.1:0"], output: .null,
      errors: .file(errors))
    for _ in 0..<6_000 where program.isRunning { try await Task.sleep(for: .milliseconds(10)) }
    program.kill()
    expectEqual(program.waitUntilExit(), 1)
    let text = try String(contentsOfFile: errors, encoding: .utf8)
    expectTrue(text.contains("realm-server: \(data)/"), "\(text)")
    expectTrue(text.contains("make room"), "\(text)")
  }

  // MARK: Certificates

  /// `ServerCertificates` 1. A server with a certificate that has expired serves, as the operator
  /// renews it without a restart.
  @Test func aCertificateThatExpiredIsLogged() async throws {
    guard let old = try TestCertificate(hasExpired: true), let new = try TestCertificate() else {
      return
    }
    let directory = try TemporaryDirectory()
    let server = try await ServerProcess(directory, certificate: old)
    defer { server.kill() }
    try await server.wait(
      for: "The certificate \(old.certificatePath) expired on 2020-02-01T00:00:00Z")
    #expect(try server.log().contains("devices refuse it. Put a valid one in its place"))
    func replace(by certificate: TestCertificate) throws {
      for (place, source) in [
        (old.certificatePath, certificate.certificatePath), (old.keyPath, certificate.keyPath),
      ] {
        try Self.files.removeItem(atPath: place)
        try Self.files.copyItem(atPath: source, toPath: place)
      }
      server.send(SIGHUP)
    }
    let expired = try #require(try TestCertificate(hasExpired: true))
    try replace(by: new)
    try await server.wait(for: "was read again")
    try await server.wait(for: "is valid until ")
    try replace(by: expired)
    try await server.wait(for: "The old one stays in use.")
    expectTrue(server.isRunning)
  }

  @Test func certificatesThatCannotBeUsedAreNamed() async throws {
    guard let certificate = try TestCertificate(), let other = try TestCertificate() else { return }
    let directory = try TemporaryDirectory()
    let data = try Self.folder(directory)
    func message(_ certificate: String, _ key: String) async throws -> String {
      try await Self.message(
        ["--dir", data, "--tls-cert", certificate, "--tls-key", key], directory)
    }
    func openssl(_ arguments: [String]) throws {
      let run = try SpawnedProgram.run("/usr/bin/openssl", arguments)
      expectEqual(run.status, 0, "\(run.errors)")
    }
    let (chain, key) = (certificate.certificatePath, certificate.keyPath)
    try await expectEqual(
      message("/none.pem", key),
      "/none.pem does not exist. Name another file with --tls-cert.")
    try await expectEqual(
      message(chain, "/none.pem"),
      "/none.pem does not exist. Name another file with --tls-key.")
    try await expectEqual(
      message(chain, directory.path),
      "\(directory.path) cannot be read. Change its permissions for the account of the "
        + "server, or name another file with --tls-key.")
    try await expectEqual(
      message(chain, other.keyPath),
      "The key \(other.keyPath) is not that of the first certificate in \(chain). Name the "
        + "key that the certificate was made with; the server's own certificate comes first in its "
        + "file.")
    try await expectEqual(
      message(key, chain),
      "\(key) has a key and no certificate. --tls-cert names the file with the certificates, "
        + "and --tls-key that with the key.")
    try await expectEqual(
      message(chain, chain),
      "\(chain) has a certificate and no key. --tls-key names the file with the key, and "
        + "--tls-cert that with the certificates.")
    let (locked, binary, request) = (
      directory.file("locked.pem"), directory.file("chain.der"), directory.file("request.pem")
    )
    try openssl(["pkey", "-in", key, "-aes256", "-passout", "pass:secret", "-out", locked])
    #expect(try await message(chain, locked).hasPrefix("The key \(locked) is encrypted with a"))
    try openssl(["x509", "-in", chain, "-outform", "der", "-out", binary])
    try await expectEqual(
      message(binary, key),
      "\(binary) has no certificate in PEM form, which begins with \"-----BEGIN "
        + "CERTIFICATE-----\". Convert it with openssl, or name another file with --tls-cert.")
    try openssl(["pkey", "-in", key, "-pubout", "-out", request])
    try await expectEqual(
      message(request, key),
      "\(request) has no certificate in PEM form, which begins with \"-----BEGIN "
        + "CERTIFICATE-----\"; it has PUBLIC KEY. Convert it with openssl, or name another file "
        + "with --tls-cert.")
    for path in [chain, key] {
      let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      let damaged = directory.file("damaged.pem")
      try Self.write(
        [lines[0], "AAAA", lines[lines.count - 1], ""].joined(separator: "\n"), damaged)
      let text = try await path == chain ? message(damaged, key) : message(chain, damaged)
      #expect(text.hasPrefix("The \(path == chain ? "certificate" : "key") in \(damaged) cannot"))
    }
  }
}
#endif
