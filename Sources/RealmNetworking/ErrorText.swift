// SPDX-License-Identifier: Apache-2.0

// Errors of the network in words for the user of an app.

#if Sync
import NIOCore
import NIOPosix

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The texts of errors.
package enum ErrorText {
  /// A sentence about a failure, without names of types and without paths of the build machine.
  package static func cause(of error: any Error) -> String {
    switch error {
    case let error as NIOConnectionError:
      guard let first = error.connectionErrors.first else { return "Its name is unknown" }
      return cause(of: first.error)
    case let error as IOError: return unsafe String(cString: strerror(error.errnoCode))
    default:
      let text = withoutBuildPaths("\(error)")
      return reason(ofTLS: text).map { "\($0) (\(text))" } ?? text
    }
  }

  /// What the texts of NIOSSL about a certificate mean.
  private static func reason(ofTLS text: String) -> String? {
    if text.contains("CERTIFICATE_VERIFY_FAILED") {
      return
        "the certificate of the server has expired, or this device does not trust who issued it"
    }
    if text.contains("ailedToValidateHostname") {
      return "the certificate of the server is for another host"
    }
    return nil
  }

  /// A text whose places in source files are names of files instead of paths: BoringSSL puts the
  /// paths of its files into its errors.
  package static func withoutBuildPaths(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let slash = rest.firstIndex(of: "/") {
      result += rest[..<slash]
      let end = rest[slash...].firstIndex { " ,;)]}\"'".contains($0) } ?? rest.endIndex
      let path = rest[slash..<end]
      result +=
        isSourcePlace(path) ? path[path.index(after: path.lastIndex(of: "/") ?? slash)...] : path
      rest = rest[end...]
    }
    return result + rest
  }

  /// Whether a path ends like `file.cc:12` or `file.swift`.
  private static func isSourcePlace(_ path: Substring) -> Bool {
    let file = path.prefix { $0 != ":" }
    return [".swift", ".cc", ".c", ".cpp", ".h"].contains { file.hasSuffix($0) }
  }
}
#endif
