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
  /// - Parameter name: The host that it is for, as openssl writes it.
  init?(for name: String = "IP:127.0.0.1") throws {
    directory = try TemporaryDirectory()
    certificatePath = directory.file("certificate.pem")
    keyPath = directory.file("key.pem")
    let arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", keyPath, "-out", certificatePath, "-days", "2", "-subj", "/CN=test",
      "-addext", "subjectAltName=\(name)",
    ]
    let program = try? SpawnedProgram("/usr/bin/openssl", arguments, output: .null, errors: .null)
    guard program?.waitUntilExit() == 0 else { return nil }
  }

  /// The settings of a client that trusts the certificate.
  func trust() throws -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(certificatePath))
    return configuration
  }
}
#endif
