// SPDX-License-Identifier: Apache-2.0

// A certificate of a test's own, made by the command openssl.

#if Server
import Foundation
import NIOSSL
import RealmTestSupport

/// A certificate that signs itself.
struct TestCertificate {
  let certificatePath: String
  let keyPath: String
  private let directory: TemporaryDirectory

  /// Makes a certificate; nil on a system without the command.
  ///
  /// - Parameters:
  ///   - name: The host that it is for, as openssl writes it.
  ///   - hasExpired: Whether it was valid in January of 2020; two days from now on otherwise.
  init?(for name: String = "IP:127.0.0.1", hasExpired: Bool = false) throws {
    directory = try TemporaryDirectory()
    certificatePath = directory.file("certificate.pem")
    keyPath = directory.file("key.pem")
    let arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", keyPath, "-out", certificatePath, "-days", "2", "-subj",
      "/CN=\(UUID().uuidString)",
      "-addext", "subjectAltName=\(name)",
    ]
    let program = try? SpawnedProgram("/usr/bin/openssl", arguments, output: .null, errors: .null)
    guard program?.waitUntilExit() == 0 else { return nil }
    if hasExpired { try signWithOldDates(name) }
  }

  /// Signs it again, by the command for authorities: the other one takes no dates.
  private func signWithOldDates(_ name: String) throws {
    let folder = directory.path
    let settings = """
      [ca]
      default_ca = own
      [own]
      database = \(folder)/index.txt
      serial = \(folder)/serial
      new_certs_dir = \(folder)
      default_md = sha256
      policy = names
      x509_extensions = more
      [names]
      commonName = supplied
      [more]
      subjectAltName = \(name)

      """
    for (file, text) in [("settings.txt", settings), ("index.txt", ""), ("serial", "01\n")] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + file))
    }
    let request = folder + "/request.pem"
    for arguments in [
      ["req", "-new", "-key", keyPath, "-subj", "/CN=test", "-out", request],
      [
        "ca", "-batch", "-selfsign", "-notext", "-config", folder + "/settings.txt", "-keyfile",
        keyPath, "-in", request, "-out", certificatePath, "-startdate", "20200101000000Z",
        "-enddate", "20200201000000Z",
      ],
    ] {
      let run = try SpawnedProgram.run("/usr/bin/openssl", arguments)
      guard run.status == 0 else { throw Failure(text: run.errors) }
    }
  }

  private struct Failure: Error {
    let text: String
  }

  /// The settings of a client that trusts the certificate.
  func trust() throws -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(certificatePath))
    return configuration
  }
}
#endif
