#include "CRealmPlatform.h"
