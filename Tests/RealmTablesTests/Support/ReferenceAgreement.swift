// SPDX-License-Identifier: Apache-2.0

// What a reader that shares no code with ours says about a file that we wrote.

import RealmFormats
import RealmStorage
import RealmTestSupport
import Testing

@testable import RealmTables

extension TableGroup {
  /// Expects the reference reader to find nothing wrong with the file, and in it what we read.
  ///
  /// Says so where the reader is not installed. The version must be the file's newest.
  ///
  /// - Parameter contents: What we read in the file; nil to read it.
  func expectReferenceAgrees(on contents: JSONValue? = nil) throws {
    guard ReferenceReader.isAvailable else {
      print("skipped the reference reader: shared/tools/read_realm.py is not there")
      return
    }
    let path = snapshot.file.path
    let report = try ReferenceReader.check(path)
    #expect(report.errors.isEmpty, "\(report)")
    #expect(report.warnings.isEmpty, "\(report)")
    let reference = try ReferenceReader.dump(path)
    let differences = JSONValue.differences(
      expected: reference["tables"] ?? [], actual: try contents ?? ContentDump(self).json())
    #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
  }
}
