// SPDX-License-Identifier: Apache-2.0

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct MissingPathTests {
  private static let file =
    ". Its folder has no such file; one that is opened for reading alone must be there."

  private static func folder(_ path: String) -> String {
    ". There is no folder '\(path)': make it first."
  }

  /// A message names what is to be made: the first folder on the way that is not there.
  @Test func theFirstMissingFolderIsNamed() throws {
    let directory = try TemporaryDirectory()
    let folder = directory.path + "/a"
    expectEqual(MissingPath.hint(directory.path), "")
    expectEqual(MissingPath.hint(directory.path + "/a.realm"), Self.file)
    expectEqual(MissingPath.hint(folder + "/a.realm"), Self.folder(folder))
    expectEqual(MissingPath.hint(folder + "/b/c/a.realm"), Self.folder(folder))
  }

  /// The root of all folders, and the folder of the process, are there.
  @Test func pathsMayBeginAnywhere() {
    expectEqual(MissingPath.hint("/no-such-file.realm"), Self.file)
    expectEqual(MissingPath.hint("/no-such-folder/a.realm"), Self.folder("/no-such-folder"))
    expectEqual(MissingPath.hint("no-such-file.realm"), Self.file)
    expectEqual(MissingPath.hint("no-such-folder/a.realm"), Self.folder("no-such-folder"))
  }
}
