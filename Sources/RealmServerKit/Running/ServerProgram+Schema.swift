// SPDX-License-Identifier: Apache-2.0

// The schema of an app at the server's start.
//
// Invariants:
// 1. Each class of a realm is in the schema of an app in development mode, and of one without a
//    file of its schema: the data of older servers stays usable.

#if Server
import Foundation
import Logging
import RealmDeclarations
import RealmServerEngine
import RealmServerServices
import RealmStorage

extension ServerProgram {
  /// The classes of an app's realms together.
  struct FoundClasses {
    private(set) var schema = AppSchema()
    /// The names with different definitions.
    private(set) var conflicts: Set<String> = []

    mutating func add(_ classes: DeclaredSchema) { conflicts.formUnion(schema.add(classes)) }
  }

  /// The schema of an app: the one of its folder, with additions of its realms.
  static func schema(
    of app: String, _ stage: AppStage, _ directory: ServerDirectory, _ found: FoundClasses,
    _ settings: SharedSettings?, _ logger: Logger
  ) throws(ServerFailure) -> SchemaKeeper {
    let path = directory.schemaPath(app)
    let known = try directory.schema(of: app)
    var schema = known ?? AppSchema()
    if known == nil || stage == .development {
      let conflicts = found.conflicts.union(schema.add(found.schema.declared))
      for name in conflicts.sorted() {
        logger.warning(
          """
          Realms of the app \(app) have different definitions of \(name); new ones get that \
          of \(path)
          """)
      }
    }
    if schema != known ?? AppSchema() { try directory.write(Array(schema.text.utf8), to: path) }
    return SchemaKeeper(schema, isFixed: stage == .production) { schema in
      let bytes = Array(schema.text.utf8)
      guard let settings else {
        return Result { () throws(StorageError) in
          try DurableFile.write(bytes, to: path)
          return nil
        }
      }
      do {
        switch try settings.put(bytes, at: "apps/\(app)/schema.json") {
        case .stored: return .success(nil)
        case .newer(let other): return .success(try AppSchema(other ?? []))
        }
      } catch {
        logger.error("\(error)")
        return .failure(
          .system(operation: "Storing for all servers", path: path, code: EIO))
      }
    }
  }
}
#endif
