// SPDX-License-Identifier: Apache-2.0

// The time in which a certificate is valid.

#if Server
import Foundation
import NIOSSL

/// From when to when devices take a certificate.
struct CertificateValidity: Hashable, Sendable {
  static let day: TimeInterval = 86_400
  /// How long before its end an operator is warned.
  private static let warningDays = 7.0

  let begin: Date
  let end: Date

  init(of certificate: NIOSSLCertificate) {
    begin = Date(timeIntervalSince1970: TimeInterval(certificate.notValidBefore))
    end = Date(timeIntervalSince1970: TimeInterval(certificate.notValidAfter))
  }

  /// Why the certificate is not valid at a time, as a part of a sentence; nil if it is.
  func problem(at time: Date) -> String? {
    if time > end { return "expired on \(Self.text(end))" }
    if time < begin { return "is valid only from \(Self.text(begin)) on" }
    return nil
  }

  /// Whether an operator has to know of it.
  func isNotable(at time: Date) -> Bool {
    problem(at: time) != nil || end.timeIntervalSince(time) < Self.warningDays * Self.day
  }

  static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
#endif
