// SPDX-License-Identifier: Apache-2.0

// What a check of a file found.

import RealmStorage

extension Realm {
  /// The result of ``verifyIntegrity(configuration:progress:)``.
  public struct IntegrityReport: Sendable {
    /// Something that the file should not have.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
      /// How bad a finding is.
      public enum Severity: Hashable, Sendable {
        /// The file contradicts its format, or a part of it is not as it was written: reads may
        /// give wrong values, or trap.
        case error
        /// Harmless, but not what this library writes.
        case warning
      }

      /// How bad it is.
      public let severity: Severity
      /// The number of the test in the list of checks of the file format.
      public let check: Int
      /// The damage, as a sentence without its full stop.
      public let message: String
      /// The class concerned, if that is known.
      public let className: String?
      /// The property concerned, if it is one.
      public let propertyName: String?
      /// The key of the object concerned in the file, if it is one object.
      public let objectKey: Int64?
      /// Where the damaged part begins in the file, as it is without encryption.
      public let byteOffset: Int?

      /// The finding as one line.
      public var description: String {
        let place = [className, propertyName].compactMap(\.self).joined(separator: ".")
        let object = objectKey.map { " object \($0)" } ?? ""
        return "\(severity) \(check)\(place.isEmpty ? "" : " " + place)\(object): \(message)"
      }

      init(_ finding: CheckFinding) {
        severity = finding.severity == .error ? .error : .warning
        check = finding.check
        message = finding.message
        let prefix = "class_"
        className = finding.objectType.map {
          $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0
        }
        propertyName = finding.property
        objectKey = finding.objectKey
        byteOffset = finding.byteOffset
      }
    }

    /// The version that was checked; 0 if the file cannot be opened.
    public let version: UInt64
    /// What was found, at most some thousand findings; empty for a whole file.
    public let findings: [Finding]
    /// The number of parts of the file whose bytes are those that were written.
    public let verifiedNodeCount: Int
    /// The number of parts without a checksum: other implementations wrote them, or older versions
    /// of this library. A compaction gives them checksums.
    public let uncheckedNodeCount: Int

    /// Whether the file contradicts its format, or is not as it was written.
    public var isDamaged: Bool { findings.contains { $0.severity == .error } }

    init(version: UInt64, _ findings: [CheckFinding], _ checksums: ChecksumCounts) {
      self.version = version
      self.findings = findings.map(Finding.init)
      verifiedNodeCount = checksums.verified
      uncheckedNodeCount = checksums.missing
    }
  }
}
