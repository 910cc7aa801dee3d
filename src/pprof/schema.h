/* schema.h: the field numbers of profile.proto. Messages and fields are named as there. */
#ifndef FINO_PPROF_SCHEMA_H
#define FINO_PPROF_SCHEMA_H

enum { /* message Profile */
       PROFILE_SAMPLE_TYPE = 1,
       PROFILE_SAMPLE = 2,
       PROFILE_MAPPING = 3,
       PROFILE_LOCATION = 4,
       PROFILE_FUNCTION = 5,
       PROFILE_STRING_TABLE = 6,
       PROFILE_DROP_FRAMES = 7,
       PROFILE_KEEP_FRAMES = 8,
       PROFILE_TIME_NANOS = 9,
       PROFILE_DURATION_NANOS = 10,
       PROFILE_PERIOD_TYPE = 11,
       PROFILE_PERIOD = 12,
       PROFILE_COMMENT = 13,
       PROFILE_DEFAULT_SAMPLE_TYPE = 14,
       PROFILE_DOC_URL = 15,
};

enum { /* message ValueType */
       VALUE_TYPE_TYPE = 1,
       VALUE_TYPE_UNIT = 2,
};

enum { /* message Sample */
       SAMPLE_LOCATION_ID = 1,
       SAMPLE_VALUE = 2,
       SAMPLE_LABEL = 3,
};

enum { /* message Label */
       LABEL_KEY = 1,
       LABEL_STR = 2,
       LABEL_NUM = 3,
       LABEL_NUM_UNIT = 4,
};

enum { /* message Mapping */
       MAPPING_ID = 1,
       MAPPING_MEMORY_START = 2,
       MAPPING_MEMORY_LIMIT = 3,
       MAPPING_FILE_OFFSET = 4,
       MAPPING_FILENAME = 5,
       MAPPING_BUILD_ID = 6,
       MAPPING_HAS_FUNCTIONS = 7,
       MAPPING_HAS_FILENAMES = 8,
       MAPPING_HAS_LINE_NUMBERS = 9,
       MAPPING_HAS_INLINE_FRAMES = 10,
};

enum { /* message Location */
       LOCATION_ID = 1,
       LOCATION_MAPPING_ID = 2,
       LOCATION_ADDRESS = 3,
       LOCATION_LINE = 4,
       LOCATION_IS_FOLDED = 5,
};

enum { /* message Line */
       LINE_FUNCTION_ID = 1,
       LINE_LINE = 2,
       LINE_COLUMN = 3,
};

enum { /* message Function */
       FUNCTION_ID = 1,
       FUNCTION_NAME = 2,
       FUNCTION_SYSTEM_NAME = 3,
       FUNCTION_FILENAME = 4,
       FUNCTION_START_LINE = 5,
};

#endif
