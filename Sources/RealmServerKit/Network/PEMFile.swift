// SPDX-License-Identifier: Apache-2.0

// Files with certificates and keys, and what operators confuse in them.

#if Server
import Foundation
import NIOSSL

/// A file in PEM form.
struct PEMFile {
  private let path: String
  private let option: String
  private let bytes: [UInt8]
  /// What its blocks are, like "CERTIFICATE".
  private let labels: [String]
  private let isEncrypted: Bool

  /// Reads a file.
  ///
  /// - Parameter option: The option that names it.
  init(_ path: String, option: String) throws(ServerFailure) {
    self.path = path
    self.option = option
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ServerFailure(
        FileManager.default.fileExists(atPath: path)
          ? "\(path) cannot be read. Change its permissions for the account of the server, or name "
            + "another file with \(option)."
          : "\(path) does not exist. Name another file with \(option).")
    }
    bytes = Array(data)
    let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
    let (begin, end) = ("-----BEGIN ", "-----")
    labels = lines.compactMap { line in
      guard line.hasPrefix(begin), line.hasSuffix(end) else { return nil }
      return String(line.dropFirst(begin.count).dropLast(end.count))
    }
    isEncrypted =
      labels.contains { $0.hasPrefix("ENCRYPTED") }
      || lines.contains { $0.hasPrefix("Proc-Type:") && $0.contains("ENCRYPTED") }
  }

  /// The certificates of the file, at least one.
  func certificates() throws(ServerFailure) -> [NIOSSLCertificate] {
    guard labels.contains(where: { $0.hasSuffix("CERTIFICATE") }) else {
      throw ServerFailure(
        labels.contains { $0.hasSuffix("PRIVATE KEY") }
          ? "\(path) has a key and no certificate. --tls-cert names the file with the "
            + "certificates, and --tls-key that with the key."
          : lacks("certificate", "CERTIFICATE"))
    }
    do {
      return try NIOSSLCertificate.fromPEMBytes(bytes)
    } catch {
      throw ServerFailure(damage("certificate", error))
    }
  }

  /// The key of the file.
  func key() throws(ServerFailure) -> NIOSSLPrivateKey {
    guard labels.contains(where: { $0.hasSuffix("PRIVATE KEY") }) else {
      throw ServerFailure(
        labels.contains { $0.hasSuffix("CERTIFICATE") }
          ? "\(path) has a certificate and no key. --tls-key names the file with the key, and "
            + "--tls-cert that with the certificates."
          : lacks("key", "PRIVATE KEY"))
    }
    guard !isEncrypted else {
      throw ServerFailure(
        "The key \(path) is encrypted with a password. Store it without one, for the account of "
          + "the server alone: openssl pkey -in \(path) -out <file>.")
    }
    do {
      return try NIOSSLPrivateKey(bytes: bytes, format: .pem)
    } catch {
      throw ServerFailure(damage("key", error))
    }
  }

  private func lacks(_ content: String, _ label: String) -> String {
    let found = labels.isEmpty ? "" : "; it has \(labels.joined(separator: ", "))"
    return "\(path) has no \(content) in PEM form, which begins with \"-----BEGIN \(label)-----\""
      + "\(found). Convert it with openssl, or name another file with \(option)."
  }

  private func damage(_ content: String, _ error: any Error) -> String {
    "The \(content) in \(path) cannot be read: \(ServerFailure.text(error)). Put the file back, or "
      + "name another with \(option)."
  }
}
#endif
