// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RealmSwift
package import RealmTestSupport
import Testing

extension ReferenceReader {
  /// Expects the reader to find nothing wrong; passes where it is not installed.
  package static func check(_ configuration: Realm.Configuration) throws {
    guard isAvailable, let url = configuration.fileURL else { return }
    let report = try check(url.path)
    #expect(report.errors.isEmpty, "\(report)")
    #expect(report.warnings.isEmpty, "\(report)")
  }
}
