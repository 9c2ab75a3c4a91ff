// SPDX-License-Identifier: Apache-2.0

// Findings of the integrity check.

/// One thing that the integrity check found wrong.
///
/// - SeeAlso: file format 5.1, whose numbers `check` gives.
package struct CheckFinding: Hashable, Sendable {
  /// How bad a finding is.
  package enum Severity: Hashable, Sendable {
    /// The file contradicts the format; reading it may give wrong answers.
    case error
    /// Allowed or harmless, but not what a writer of this format should leave.
    case warning
  }

  /// The number of the test in the format's checklist.
  package let check: Int
  package let severity: Severity
  /// The damage, as a sentence without its full stop.
  package let message: String
  /// The object type concerned, named by the layer that knows object types.
  package let objectType: String?
  /// The property concerned.
  package let property: String?
  /// The object concerned.
  package let objectKey: Int64?
  /// Where the node concerned begins in the decrypted file.
  package let byteOffset: Int?

  package init(
    check: Int, severity: Severity = .error, _ message: String, objectType: String? = nil,
    property: String? = nil, objectKey: Int64? = nil, byteOffset: Int? = nil
  ) {
    self.check = check
    self.severity = severity
    self.message = message
    self.objectType = objectType
    self.property = property
    self.objectKey = objectKey
    self.byteOffset = byteOffset
  }
}

extension CheckFinding: CustomStringConvertible {
  package var description: String {
    var place = ""
    if let objectType { place += " \(objectType)" }
    if let objectKey { place += " object \(objectKey)" }
    return "\(severity) \(check)\(place): \(message)"
  }
}
