// SPDX-License-Identifier: Apache-2.0

// What the snippets of the articles share: a file in a folder that is removed afterwards.
//
// Between `// snippet: name` and `// snippet end` is what an article or the README shows, without
// what stands between `// snippet hide` and `// snippet show`. A test compares the two.

import Foundation
import RealmSwift
import RealmTestSupport

/// A folder for the realms of one test.
final class ArticleFolder: Sendable {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  func url(_ name: String = "article.realm") -> URL {
    URL(fileURLWithPath: directory.file(name))
  }

  /// A configuration of a file that holds the given classes.
  func configuration(
    _ types: [ObjectBase.Type], file name: String = "article.realm"
  ) -> Realm.Configuration {
    Realm.Configuration(fileURL: url(name), objectTypes: types)
  }
}

/// A condition of a snippet that runs in a process of its own.
func require(_ condition: Bool, _ text: String = "", line: UInt = #line) {
  precondition(condition, "line \(line): \(text)")
}
