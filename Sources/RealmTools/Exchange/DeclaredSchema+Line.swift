// SPDX-License-Identifier: Apache-2.0

// The classes of an export, as a line of JSON in front of its objects.

#if Tools
import RealmDeclarations
import RealmFormats

extension DeclaredSchema {
  /// The schema in a line; nil if it is another one.
  static func inLine(_ text: [UInt8], _ line: Int) -> Result<DeclaredSchema?, BadRow> {
    do throws(JSONError) {
      guard case .object(let members) = try JSONParser.parse(text), members.count == 1,
        members[0].key == "$schema"
      else { return .success(nil) }
      do throws(DeclaredSchema.Problem) {
        return .success(try DeclaredSchema(members[0].value))
      } catch { return .failure(BadRow(line: line, error.reason)) }
    } catch { return .success(nil) }
  }
}
#endif
